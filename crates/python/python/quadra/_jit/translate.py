"""Functions of Python as functions of Quasar: statements, variables, and the types that they settle on."""

from __future__ import annotations

import ast
from .arrays import Array
from .calls import Calls
from .complexes import Complexes
from .expressions import Expressions
from .fors import Fors, assigned_names
from .lists import Made, is_part, list_names, list_parts
from .randoms import OWN, STATE, Randoms
from .results import Results
from .rooms import Rooms
from .types import STRONG, Refused, Tuple, array_of, checked_array, promote
from .value import Known, Listed, Value
from .variables import Variable, Variables
from .whiles import Whiles
from .writes import stored_names

#: Words that Quasar has for itself, and functions that translated text calls.
TAKEN = set(
    "function endfunction if elseif else endif for endfor while endwhile repeat until match endmatch with break continue return try catch "
    "endtry import type endtype class end mutable dynamic syncthreads memfence nullptr reduction where print printf error warning "
    "float int int64 complex real imag conj angle cscalar mod idivide min max abs sign floor ceil fix pow sqrt sin cos tan asin acos atan sinh cosh tanh exp log log2 log10 "
    "atan2 hypot and or xor not shr numel size assert nan inf vec mat cube scalar pi eps true false".split()
)


class Translator(Calls, Complexes, Expressions, Fors, Randoms, Results, Rooms, Variables, Whiles):
    """Translates one function for arguments of given types, again and again until the types of its variables stay."""

    def __init__(self, program, jitted, name: str, parameters: list, longest: int, promise=None):
        #: What calls of the function by itself are taken to return; `None` where there are none.
        self.promise = promise
        self.program, self.jitted, self.called, self.longest = program, jitted, name, longest
        self.tree, self.names = jitted.plain, jitted.outside
        names = [a.arg for a in self.tree.args.args]
        self.parameters = {}
        for given, value in zip(names, parameters):
            # A tuple is passed in parts.
            parts = [(f"{given}_item{k}_", part) for k, part in enumerate(value)] if isinstance(value, list) else [(given, value)]
            self.parameters.update(parts)
        self.locals = assigned_names(self.tree.body) | set(names) | set(self.parameters)
        self.table: dict[str, Variable] = {}
        self.result = None
        #: Whether random numbers are drawn.
        self.draws = False
        #: Lengths of tuples with a name.
        self.tuples: dict[str, int] = {n: len(v) for n, v in zip(names, parameters) if isinstance(v, list)}
        self.stores = stored_names(self.tree)
        #: A name as often as something is assigned to it.
        self.given_names = [n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        #: Types of the elements' parts of lists, where these are known.
        self.list_parts = list_parts(self.tree)
        self.lists: dict[str, list | None] = dict.fromkeys(list_names(self.tree)) | {n: [v.type] for n, v in self.parameters.items() if isinstance(v, Listed)}

    def run(self):
        """The text of the function, line by line, each with its line of Python."""
        def state():
            return {n: (v.type, v.low, v.high, v.ones) for n, v in self.table.items()}, self.result, dict(self.lists), self.draws

        for _ in range(40):
            before = state()
            lines = self._pass()
            if before == state():
                return lines
            if before[2] != self.lists:
                # What was taken of lists had other types.
                self.table, self.result = {}, None
        raise Refused(self.tree, "the types of this function's variables do not settle")

    def _pass(self):
        self.lines, self.count, self.testing, self.loop, self.tail = [], 0, False, [], True
        #: Arrays from outside by what they are, and the lines that make them.
        self.outer_arrays: dict = {}
        #: What stands at the beginning of the function.
        self.first_lines: list = []
        #: Whether a loop may have been left with results.
        self.flagged = False
        self.assigned, self.declared_names = set(self.parameters) | {n for n in self.tuples if n not in self.given_names}, set(self.parameters)
        #: What has a value where the innermost loop is left.
        self.left: list[set] = []
        #: Lists that the loop around has given room for what its iteration appends.
        self.roomy: set[str] = set()
        #: Lists that have arrays from the beginning.
        self.predeclared: set[str] = set()
        #: Names that stand for parts of arrays.
        self.views: dict = {}
        #: Names of texts, and of `None`.
        self.known_names: dict = {}
        #: Variables of loops that the loop around does not assign, as its counters.
        self.counters: dict = {}
        #: Where the lines begin of a statement that gives one name a value.
        self.began = None
        for name, given in self.parameters.items():
            if isinstance(given, Value):
                self.assign_table(self.tree, name, given)
            elif isinstance(given, Known):
                self.known_names[name] = given
            elif isinstance(given, Listed):
                self.first_lines.append((f"{self.count_of(name).text} : int = numel({self.part_name(name, 0)})", self.tree.lineno))
        self.declare_emptied()
        ended = self.block(self.tree.body)
        if not ended and self.result not in (None, Tuple(())):
            raise Refused(self.tree, "one way through the function returns a value, another one none", "return a value at the end")
        if not ended:
            self.kept_state(self.tree)
        if self.result is None:
            self.result = Tuple(())
        head = [f"{STATE} : vec[int64]"] if self.draws else []
        for name, given in self.parameters.items():
            if isinstance(given, Known):
                continue
            if isinstance(given, Listed):
                head.append(f"{self.part_name(name, 0)} : {array_of(STRONG[given.type.name], 1)}")
                continue
            kind = checked_array(given.type.name, given.type.ndim) if isinstance(given, Array) else self.quasar(self.variable(name))
            head.append(f"{self.spelled(name)} : {kind}")
        if self.flagged:
            self.declare_kept()
        outputs = ", ".join(f"result_{k}_" for k in range(len(self.result.items)))
        # `self.tree` may have decorators above its line.
        first = (f"function [{outputs}] = {self.called}({', '.join(head)})", self.tree.lineno)
        made = [line for _, lines in self.outer_arrays.values() for line in lines] + self.first_lines
        if self.draws:
            made.insert(0, (f"{OWN} : int64 = {STATE}[0]", self.tree.lineno))
        return [first, *made, *self.lines, ("endfunction", self.tree.end_lineno)]

    # What parts ask for

    def emit(self, node, text: str) -> None:
        self.lines.append((text, node.lineno))
        self.node = node

    def fresh(self) -> str:
        self.count += 1
        return f"t_{self.count}_"

    def spelled(self, name: str) -> str:
        strange = name in TAKEN or name.startswith("_") or name.endswith("_") or not name.isascii()
        return "p_" + "".join(c if c.isascii() else f"u{ord(c):x}" for c in name) + "_" if strange else name

    def quasar(self, v: Value) -> str:
        """The type of a variable that holds the value."""
        if v.type.is_complex:
            return "cscalar'single" if v.type.name == "c8" else "cscalar'double"
        if v.type.is_float:
            return "scalar'single" if v.type.name == "f4" else "scalar'double"
        return "int64" if v.wide else "int"

    def atom(self, v: Value) -> Value:
        """The value in a variable, unless it is one."""
        if not isinstance(v, Value) or v.atom:
            return v
        return self.declared(self.quasar(v), v)

    def declared(self, kind: str, v: Value) -> Value:
        name = self.fresh()
        self.lines.append((f"{name} : {kind} = {v.text}", self.line))
        return Value(name, v.type, v.low, v.high, v.constant, True, v.wide)

    def check(self, node, condition: str, exception, message: str) -> None:
        """Ends the function with an exception unless a condition holds."""
        self.lines.append((f"assert({condition})", node.lineno, (exception, message)))

    # Statements

    def block(self, body) -> bool:
        """Whether nothing behind it is reached."""
        outer = self.tail
        try:
            for at, node in enumerate(body):
                self.line = node.lineno
                rest = body[at + 1:]
                if isinstance(node, ast.If) and not self.loop and rest and (self._ends(node.body) or node.orelse and self._ends(node.orelse)):
                    # Functions without a jump out of their middle run on devices, too: what follows goes into the other branch.
                    first, second = (node.body, node.orelse + rest) if self._ends(node.body) else (node.body + rest, node.orelse)
                    node, rest = ast.copy_location(ast.If(node.test, first, second), node), []
                    self.tail = outer
                    return self.statement(node)
                self.tail = outer and not rest
                before, self.flagged = self.flagged, False
                ended = self.statement(node)
                left, self.flagged = self.flagged, self.flagged or before
                if left and isinstance(node, (ast.For, ast.While)):
                    found = self.behind_loop(node, ended, rest, outer)
                    if found is not None:
                        return found
                if ended:
                    return True
            return False
        finally:
            self.tail = outer

    def _ends(self, body) -> bool:
        """Whether every way through a block returns."""
        last = body[-1]
        return isinstance(last, ast.Return) or isinstance(last, ast.If) and bool(last.orelse) and self._ends(last.body) and self._ends(last.orelse)

    def statement(self, node) -> bool:
        self.line, self.began = node.lineno, None
        method = getattr(self, "_do_" + type(node).__name__.lower(), None)
        if method is None:
            raise Refused(node, f"the statement '{type(node).__name__.lower()}' is not in the subset of jitted functions")
        return bool(method(node))

    def _do_pass(self, node):
        return False

    def _do_expr(self, node):
        if not isinstance(node.value, ast.Constant):
            found = self.expression(node.value)
            if isinstance(node.value, ast.Call) and isinstance(found, Value):
                self.emit(node, f"t_0_ = {found.text}")
        return False

    def _do_assert(self, node):
        self.check(node, self.test(node.test).text, AssertionError, ast.unparse(node.msg) if node.msg else "the assertion does not hold")
        return False

    def _do_raise(self, node):
        kind, message = RuntimeError, ast.unparse(node)
        made = node.exc if isinstance(node.exc, ast.Call) else None
        found = node.exc and self.resolve(made.func if made else node.exc)
        if isinstance(found, type) and issubclass(found, Exception) and found.__module__ in ("builtins", "numpy.linalg"):
            kind = found
            message = str(made.args[0].value) if made and len(made.args) == 1 and isinstance(made.args[0], ast.Constant) else message
        self.check(node, "0", kind, message)
        return True

    def _do_annassign(self, node):
        return node.value is not None and self._do_assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def _do_assign(self, node):
        self.began = len(self.lines) if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) else None
        for target in node.targets:
            if isinstance(target, ast.Name) and is_part(node.value, self.lists):
                made = Made([], None, self.materialised(node, self.expression(node.value), fresh=True), self.list_types(node.value.value.id)[0].name)
                self.give_list(target, target.id, made)
                return False
        for value in node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]:
            if self.named_list(value) is not None:
                raise Refused(node, f"the list '{value.id}' under a second name", "take numpy.array(…) for a copy")
        if self.exchanged(node):
            return False
        if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
            values = [self.expression(v) for v in node.value.elts]
            # Arrays change names without a copy; numbers are taken before any is given.
            values = [self.atom(self._fixed(v)) if isinstance(v, Value) else self._held(node, v) for v in values]
        else:
            values = self.expression(node.value)
            if len(node.targets) > 1 and isinstance(values, Value):
                values = self.atom(values)
        for target in node.targets:
            self.assign(target, values)
        return False

    def _fixed(self, v: Value) -> Value:
        """A number that does not follow a variable."""
        return Value(v.text, v.type, v.low, v.high, v.constant, v.constant is not None and not v.wide, v.wide)

    def _held(self, node, v):
        if not isinstance(v, Array) or v.name is None:
            return v
        name = self.fresh()
        self.emit(node, f"{name} : {checked_array(v.type.name, v.type.ndim)} = {v.name}")
        return Array(v.type, name)

    def assign(self, target, v) -> None:
        if isinstance(target, ast.Name) and isinstance(v, Made):
            self.give_list(target, target.id, v)
        elif isinstance(target, ast.Name) and target.id in self.lists:
            raise Refused(target, f"'{target.id}' is a list elsewhere", "use another name")
        elif isinstance(target, ast.Name) and isinstance(v, list):
            self.give_tuple(target, target.id, v)
        elif isinstance(target, ast.Name):
            self.give(target, target.id, v)
        elif isinstance(target, ast.Tuple):
            if isinstance(v, Array):
                v = self.unpacked(target, v, len(target.elts))
            if not isinstance(v, list) or len(v) != len(target.elts):
                raise Refused(target, "as many names as values are needed")
            v = [self.atom(self._fixed(x)) if isinstance(x, Value) else x for x in v]
            for part, value in zip(target.elts, v):
                self.assign(part, value)
        elif isinstance(target, ast.Subscript):
            self.store(target, v)
        else:
            raise Refused(target, "this target of an assignment is not in the subset")

    def store(self, node, v, op=None) -> None:
        """`array[…] = v`, or `array[…] op= v`."""
        if self.named_list(node.value) is not None:
            self.list_store(node, node.value.id, v, op)
            return
        if isinstance(v, Made):
            # What a list holds is stored as the elements of an array are.
            v = v.items if v.times is None and v.array is None and all(isinstance(x, Value) for x in v.items) and op is None else self.items_array(node, v)
        if v is None or isinstance(v, Known):
            raise Refused(node, f"{'a text' if isinstance(v, Known) and v.value is not None else 'None'} is stored in an array", "store a number")
        base = self.expression(node.value)
        if not isinstance(base, Array) or base.name is None and base.view is None:
            raise Refused(node, "only elements of arrays with a name are assigned")
        self.not_outer(node, base)
        parts = self.parts(node, base, self.items(node, base))
        if any(isinstance(p, Array) for p in parts):
            if base.name is None:
                raise Refused(node, "elements that arrays choose of a part of an array are assigned", "index the array itself")
            self.store_chosen(node, base, parts, v, op)
            return
        if not all(isinstance(p, Value) for p in parts):
            # Indices beside slices are computed once.
            parts = [self.atom(self.narrow(p, node)) if isinstance(p, Value) else p for p in parts]
            target = self.part(node, base, parts)
            plain = isinstance(v, list) and op is None and target.type.ndim == 1 and all(isinstance(x, Value) for x in v)
            v = self.items_array(node, v) if isinstance(v, list) and not plain else v
            self.store_items(node, target, v) if plain else self.store_all(node, target, v, op)
            return
        if not isinstance(v, Value):
            raise Refused(node, "an element is a number")
        place = self.spot(node, base, [self.inside(node, base, k, i) for k, i in enumerate(parts)])
        signs = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
        if op is None:
            self.emit(node, f"{place} = {self.stored(v, base.type, node)}")
            return
        elem = self._element(place, base.type)
        same = not elem.type.is_bool and promote(node, elem.type, v.type) == elem.type
        if same and type(op) in signs and (elem.type.is_float or elem.type.name in ("i8", "i4")):
            v = self.coerce(node, v, elem.type)
            self.emit(node, f"{place} {signs[type(op)]}= {v.text}")
            return
        v = self.arithmetic(node, op, elem, v)
        self.emit(node, f"{place} = {self.stored(v, base.type, node)}")

    def _do_augassign(self, node):
        v = self.expression(node.value)
        if isinstance(node.target, ast.Subscript):
            self.store(node.target, v, node.op)
            return False
        if not isinstance(node.target, ast.Name):
            raise Refused(node, "this target of an assignment is not in the subset")
        name = node.target.id
        if name in self.lists:
            if not isinstance(v, Made) or v.times is not None or v.array is not None or not isinstance(node.op, ast.Add):
                raise Refused(node, "only elements written out are added to a list", "append in a loop")
            for item in v.items:
                self.append(node, name, item)
            return False
        old = self._name(node.target)
        if isinstance(old, Array):
            self.store_all(node, old, v if isinstance(v, (Array, Value)) else self.among_arrays(node, v), node.op)
            return False
        if isinstance(old, list) and isinstance(v, list) and isinstance(node.op, ast.Add):
            raise Refused(node, f"the tuple '{name}' becomes longer", "take a list and append, or give the longer one another name")
        if not isinstance(old, Value) or not isinstance(v, (Value, Array)):
            raise Refused(node, f"'{name}' or what is added to it is no number", "give its parts names: a, b = …")
        if isinstance(v, Array):
            raise Refused(node, "a number becomes an array", "use another name")
        signs = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
        result = self.arithmetic(node, node.op, old, v)
        if type(node.op) in signs and name in self.table:
            self.assign_table(node, name, result)
            target = self.variable(name)
            if target.type.is_float or target.type.is_complex or target.type.name in ("int", "i8"):
                v = self.coerce(node, self.as_int(v), target.type)
                v = self.wide(v) if target.wide else v
                self.emit(node, f"{target.text} {signs[type(node.op)]}= {v.text}")
                return False
        self.give(node, name, result)
        return False

    def _do_if(self, node):
        test = self.test(node.test)
        if test.constant is not None:
            # What is known now is not asked again; the other way may not fit to the types.
            return self.block(node.body if test.constant else node.orelse)
        self.emit(node, f"if {test.text}")
        before, views = set(self.assigned), dict(self.views)
        first = self.block(node.body)
        after, self.assigned = self.assigned, before
        views, self.views = self.views, views
        second = False
        if node.orelse:
            self.emit(node.orelse[0], "else")
            second = self.block(node.orelse)
        self.emit(node, "endif")
        # A name may stand for different parts on both ways.
        apart = {name for name in views.keys() | self.views.keys() if views.get(name) is not self.views.get(name)}
        self.assigned = self.assigned if first else after if second else after & self.assigned - apart
        self.views = self.views if first else views if second else self.views
        return first and second

    def _do_break(self, node):
        self.left.append(set(self.assigned))
        self.emit(node, "break")
        return True

    def _do_continue(self, node):
        self.emit(node, "continue")
        return True
