// The debugger as a client of a package sees it: @vscode/debugadapter-testsupport. QUADRA names the command.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { test, beforeEach, afterEach } = require("node:test");
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const root = path.resolve(__dirname, "../../..");
const quadra = process.env.QUADRA ?? path.join(root, "target/release/quadra");
const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "quadra-debug-"));
const program = path.join(folder, "program.q");
fs.writeFileSync(program, `function y = twice(x)
    z = x*2
    y = z + 1
endfunction

function [] = __kernel__ paint(im : mat, k : scalar, pos : ivec2)
    v = pos[0]*10 + pos[1]
    im[pos] = v*k
endfunction

s = 0
for i = 0..4
    s += twice(i)
endfor
im = zeros(4,5)
parallel_do(size(im), im, 0.5, paint)
thing = object(name:="box", sizes:=[1,2,3])
f = sqrt(-1)
try
    error("caught")
catch e
    s = 0
endtry
print "s is ", s
`);

// The package starts a program with one argument.
const script = path.join(folder, "adapter.sh");
fs.writeFileSync(script, `exec '${quadra}' debug --dap\n`);
let client;

beforeEach(async () => {
    client = new DebugClient("/bin/sh", script, "quasar");
    client.defaultTimeout = 60000;
    await client.start();
});
afterEach(() => client.stop());

async function locals(frame = 0) {
    const { body: { stackFrames } } = await client.stackTraceRequest({ threadId: 1 });
    const { body: { scopes } } = await client.scopesRequest({ frameId: stackFrames[frame].id });
    const { body: { variables } } = await client.variablesRequest({ variablesReference: scopes[0].variablesReference });
    return { scope: scopes[0].variablesReference, of: (name) => variables.find((v) => v.name === name), names: variables.map((v) => v.name) };
}

const stopped = (reason, where) => client.assertStoppedLocation(reason, where);

test("a program runs to its end and its output comes", async () => {
    const ended = client.waitForEvent("terminated");
    const exited = client.waitForEvent("exited");
    await Promise.all([client.configurationSequence(), client.launch({ program }), client.assertOutput("stdout", "s is 0\n")]);
    assert.equal((await exited).body.exitCode, 0);
    await ended;
});

test("a breakpoint with a condition stops; frames, variables, steps", async () => {
    await client.hitBreakpoint({ program }, { path: program, line: 13 }, { path: program, line: 13 });
    await client.setBreakpointsRequest({ source: { path: program }, breakpoints: [{ line: 2, condition: "x == 3" }] });
    await Promise.all([client.continueRequest({ threadId: 1 }), stopped("breakpoint", { path: program, line: 2 })]);
    const { body: { stackFrames } } = await client.stackTraceRequest({ threadId: 1 });
    assert.deepEqual(stackFrames.map((f) => [f.name, f.line]), [["twice", 2], ["<program>", 13]]);
    assert.equal((await locals()).of("x").value, "3");
    assert.equal((await locals(1)).of("s").value, "9");
    await Promise.all([client.nextRequest({ threadId: 1 }), stopped("step", { path: program, line: 3 })]);
    const { scope } = await locals();
    const { body } = await client.setVariableRequest({ variablesReference: scope, name: "z", value: "50*2" });
    assert.equal(body.value, "100");
    await Promise.all([client.stepOutRequest({ threadId: 1 }), stopped("step", { path: program, line: 13 })]);
    assert.equal((await locals()).of("s").value, "110");
    await Promise.all([client.stepInRequest({ threadId: 1 }), stopped("step", { path: program, line: 2 })]);
});

test("arrays and objects are expanded, page by page", async () => {
    await client.hitBreakpoint({ program }, { path: program, line: 18 });
    const { of } = await locals();
    const im = of("im");
    assert.deepEqual([im.type, im.indexedVariables], ["mat 4x5", 4]);
    const rows = (await client.variablesRequest({ variablesReference: im.variablesReference, start: 2, count: 1, filter: "indexed" })).body.variables;
    assert.deepEqual(rows.map((r) => r.name), ["[2]"]);
    const cells = (await client.variablesRequest({ variablesReference: rows[0].variablesReference })).body.variables;
    assert.deepEqual(cells.map((c) => [c.name, c.value]), [["[2,0]", "10"], ["[2,1]", "10.5"], ["[2,2]", "11"], ["[2,3]", "11.5"], ["[2,4]", "12"]]);
    await client.setVariableRequest({ variablesReference: rows[0].variablesReference, name: "[2,3]", value: "77" });
    const { body } = await client.evaluateRequest({ expression: "im[2,3]", context: "watch" });
    assert.equal(body.result, "77");
    const fields = (await client.variablesRequest({ variablesReference: of("thing").variablesReference })).body.variables;
    assert.deepEqual(fields.map((f) => f.name), ["name", "sizes"]);
    await assert.rejects(client.evaluateRequest({ expression: "im = 3", context: "hover" }), /only an expression/);
});

test("functions, kernels' items and exceptions stop", async () => {
    await Promise.all([
        client.waitForEvent("initialized").then(async () => {
            const answer = await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: "paint", condition: "v0 == 1" }, { name: "nothing" }] });
            assert.deepEqual(answer.body.breakpoints.map((b) => b.verified), [true, false]);
            await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: "paint", condition: "pos[0] == 1 && pos[1] == 2" }] });
            await client.setExceptionBreakpointsRequest({ filters: ["error", "caught", "nan"] });
            await client.configurationDoneRequest();
        }),
        client.launch({ program }),
        stopped("function breakpoint", { path: program, line: 7 }),
    ]);
    assert.equal((await locals()).of("k").value, "0.5");
    await Promise.all([client.continueRequest({ threadId: 1 }), stopped("exception", { line: 18 })]);
    await Promise.all([client.continueRequest({ threadId: 1 }), stopped("exception", { line: 20 })]);
    const ended = client.waitForEvent("terminated");
    await client.terminateRequest();
    await ended;
});

test("an endless program is paused and ended", async () => {
    const endless = path.join(folder, "endless.q");
    fs.writeFileSync(endless, "n = 0\nwhile true\n    n += 1\nendwhile\n");
    await Promise.all([client.configurationSequence(), client.launch({ program: endless })]);
    await Promise.all([client.waitForEvent("stopped"), client.pauseRequest({ threadId: 1 })]);
    await client.continueRequest({ threadId: 1 });
    const again = client.waitForEvent("stopped");
    const answer = await client.setBreakpointsRequest({ source: { path: endless }, breakpoints: [{ line: 3 }] });
    assert.equal(answer.body.breakpoints[0].verified, true);
    await again;
    await client.setBreakpointsRequest({ source: { path: endless }, breakpoints: [] });
    await client.continueRequest({ threadId: 1 });
    // What runs is ended by this request; `afterEach` disconnects, once, since a debugger that has left answers nobody.
    const ended = client.waitForEvent("terminated");
    await client.terminateRequest();
    await ended;
});

test("QPU code is stepped, and its registers are shown", async () => {
    await Promise.all([client.configurationSequence(), client.launch({ program: "gcd", stopOnEntry: true }), client.waitForEvent("stopped")]);
    const { body: { threads } } = await client.threadsRequest();
    assert.deepEqual(threads.map((t) => t.name), ["QPU 0"]);
    await Promise.all([client.send("stepIn", { threadId: 1, granularity: "instruction" }), client.waitForEvent("stopped")]);
    const { body: { stackFrames } } = await client.stackTraceRequest({ threadId: 1 });
    assert.match(stackFrames[0].instructionPointerReference, /^0x[0-9a-f]+$/);
    const { body: { scopes } } = await client.scopesRequest({ frameId: stackFrames[0].id });
    assert.equal(scopes[0].name, "Accumulators");
    const { body: { variables } } = await client.variablesRequest({ variablesReference: scopes[0].variablesReference });
    assert.deepEqual(variables.map((v) => v.name), ["r0", "r1", "r2", "r3", "r4", "r5"]);
    const ended = client.waitForEvent("terminated");
    await client.continueRequest({ threadId: 1 });
    await ended;
});
