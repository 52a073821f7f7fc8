from typing import Any, Callable

__version__: str

class Error(Exception):
    code: str
    message: str
    file: str | None
    line: int | None
    column: int | None
    notes: list[str]
    help: list[str]

class Interrupted(Error): ...

class Message:
    code: str
    severity: str
    message: str
    file: str | None
    line: int | None
    column: int | None
    notes: list[str]
    help: list[str]
    text: str

class Session:
    def __init__(
        self,
        device: str,
        double: bool = False,
        profile: bool = False,
        qpus: int | None = None,
        library: list[str] = ...,
        max_memory: int | None = None,
    ) -> None: ...
    def run(self, name: str, text: str) -> list[Message]: ...
    def check(self, name: str, text: str) -> tuple[list[Message], list[tuple[str, int, int, str, int]]]: ...
    def functions(self) -> list[tuple[str, list[str], int]]: ...
    def variables(self) -> list[str]: ...
    def get(self, name: str) -> Any: ...
    def set(self, name: str, value: Any) -> None: ...
    def profile(self) -> dict[str, Any] | None: ...
    def pictures(self) -> list[tuple[str, str, bytes]]: ...
    def call(self, name: str, args: list[Any], outs: int) -> Any: ...

class Function:
    __name__: str
    parameters: list[str]
    outputs: int
    def __init__(
        self, session: Session, name: str, params: list[str], outputs: int, elsewhere: Callable[[str], Function]
    ) -> None: ...
    def __call__(self, *args: Any, **named: Any) -> Any: ...

def set_threads(n: int) -> None: ...
def devices() -> list[tuple[str, str, str | None]]: ...
