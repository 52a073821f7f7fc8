// Starts `quadra lsp` for the programs that are open and `quadra debug --dap` for those that are debugged, and offers the command's
// subcommands as tasks.
"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function command() {
    return vscode.workspace.getConfiguration("quasar").get("command", "quadra");
}

async function start() {
    const library = vscode.workspace.getConfiguration("quasar").get("library", []);
    const server = { command: command(), args: ["lsp"], transport: TransportKind.stdio };
    const options = {
        documentSelector: [{ language: "quasar" }],
        initializationOptions: { library },
        synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.q") },
    };
    client = new LanguageClient("quasar", "Quasar", server, options);
    try {
        await client.start();
    } catch (why) {
        const message = `Quasar: '${command()} lsp' does not start. Name the command quadra in the settings.`;
        if ((await vscode.window.showErrorMessage(message, "Settings")) === "Settings") {
            await vscode.commands.executeCommand("workbench.action.openSettings", "quasar.command");
        }
    }
}

async function stop() {
    const old = client;
    client = undefined;
    if (old?.isRunning()) {
        await old.stop();
    }
}

function task(definition, scope) {
    const { what, file = "${file}", args = [] } = definition;
    const run = new vscode.ProcessExecution(command(), [what, ...args, file], { cwd: "${fileDirname}" });
    const made = new vscode.Task(definition, scope, `${what} ${definition.file ?? "this program"}`, "quadra", run, "$quadra");
    made.group = what === "check" ? vscode.TaskGroup.Test : vscode.TaskGroup.Build;
    return made;
}

const tasks = {
    provideTasks: () => ["run", "check", "compare"].map((what) => task({ type: "quadra", what }, vscode.TaskScope.Workspace)),
    resolveTask: (given) => task(given.definition, given.scope ?? vscode.TaskScope.Workspace),
};

const thisProgram = () => ({
    type: "quasar", request: "launch", name: "Debug this program", program: "${file}", cwd: "${fileDirname}",
});

// Without a launch.json the program in the editor is debugged.
const configurations = {
    resolveDebugConfiguration: (folder, given) => {
        const open = vscode.window.activeTextEditor?.document.languageId === "quasar";
        return given.type || given.request || given.name ? given : open ? thisProgram() : undefined;
    },
    provideDebugConfigurations: () => [thisProgram()],
};

const adapters = {
    createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(command(), ["debug", "--dap"]),
};

async function activate(context) {
    context.subscriptions.push(
        vscode.tasks.registerTaskProvider("quadra", tasks),
        vscode.commands.registerCommand("quasar.run", () =>
            vscode.tasks.executeTask(task({ type: "quadra", what: "run" }, vscode.TaskScope.Workspace))),
        vscode.debug.registerDebugConfigurationProvider("quasar", configurations),
        vscode.debug.registerDebugAdapterDescriptorFactory("quasar", adapters),
        vscode.commands.registerCommand("quasar.debug", () =>
            vscode.debug.startDebugging(undefined, thisProgram())),
        vscode.commands.registerCommand("quasar.restart", () => stop().then(start)),
        vscode.workspace.onDidChangeConfiguration((e) => {
            if (e.affectsConfiguration("quasar.command") || e.affectsConfiguration("quasar.library")) {
                return stop().then(start);
            }
        }),
    );
    await start();
}

module.exports = { activate, deactivate: stop };
