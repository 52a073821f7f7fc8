"""The language server as a client from a package sees it. QUADRA names the command, HEAT a program."""

import os
import pathlib

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

HEAT = pathlib.Path(os.environ["HEAT"])


@pytest_lsp.fixture(
    scope="module",
    config=ClientServerConfig(server_command=[os.environ["QUADRA"], "lsp"]),
)
async def client(lsp_client: LanguageClient):
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities("visual-studio-code"),
            root_uri=HEAT.parent.as_uri(),
        )
    )
    yield
    await lsp_client.shutdown_session()


def at(line, character):
    return dict(
        text_document=types.TextDocumentIdentifier(uri=HEAT.as_uri()),
        position=types.Position(line=line, character=character),
    )


HERE = types.TextDocumentIdentifier(uri=HEAT.as_uri())
ALL = types.Range(start=types.Position(0, 0), end=types.Position(100, 0))


def opened(client, text=None):
    """Opens the document anew, with this text or its own."""
    opened.version = getattr(opened, "version", 0) + 1
    if opened.version > 1:
        client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=HERE))
    item = types.TextDocumentItem(
        uri=HEAT.as_uri(),
        language_id="quasar",
        version=opened.version,
        text=HEAT.read_text() if text is None else text,
    )
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))


@pytest.mark.asyncio(loop_scope="module")
async def test_hints(client: LanguageClient):
    opened(client)
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(text_document=HERE, range=ALL))
    labels = {hint.position.line: hint.label for hint in hints}
    assert labels[3] == "parallel over (m, n)"
    assert labels[4] == "parallel with the loop over m"
    assert labels[16].startswith("serial: ")


@pytest.mark.asyncio(loop_scope="module")
async def test_hover_completion_signature(client: LanguageClient):
    opened(client)
    hover = await client.text_document_hover_async(types.HoverParams(**at(11, 0)))
    assert "hot : mat" in hover.contents.value and "size 128x192" in hover.contents.value
    items = await client.text_document_completion_async(types.CompletionParams(**at(6, 13)))
    assert {"now", "next", "nan", "numel"} <= {item.label for item in items}
    help = await client.text_document_signature_help_async(types.SignatureHelpParams(**at(17, 25)))
    assert help.signatures[0].label == "next = diffuse(now : mat'clamped)"


@pytest.mark.asyncio(loop_scope="module")
async def test_names(client: LanguageClient):
    opened(client)
    found = await client.text_document_definition_async(types.DefinitionParams(**at(17, 18)))
    assert [(f.range.start.line, f.range.start.character) for f in found] == [(1, 16)]
    context = types.ReferenceContext(include_declaration=False)
    found = await client.text_document_references_async(types.ReferenceParams(**at(1, 18), context=context))
    assert [f.range.start.line for f in found] == [17]
    await client.text_document_prepare_rename_async(types.PrepareRenameParams(**at(17, 5)))
    edit = await client.text_document_rename_async(types.RenameParams(**at(17, 5), new_name="disc"))
    assert len(edit.changes[HEAT.as_uri()]) == 8
    with pytest.raises(Exception, match="is no name"):
        await client.text_document_rename_async(types.RenameParams(**at(17, 5), new_name="1x"))
    marks = await client.text_document_document_highlight_async(types.DocumentHighlightParams(**at(17, 5)))
    assert len(marks) == 8


@pytest.mark.asyncio(loop_scope="module")
async def test_whole_documents(client: LanguageClient):
    opened(client, "x=1\nfunction y=f(x)\ny=x\nendfunction\n")
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(text_document=HERE))
    assert [s.name for s in symbols] == ["x", "f"]
    tokens = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(text_document=HERE))
    assert len(tokens.data) % 5 == 0 and tokens.data
    folds = await client.text_document_folding_range_async(types.FoldingRangeParams(text_document=HERE))
    assert [(f.start_line, f.end_line) for f in folds] == [(1, 2)]
    options = types.FormattingOptions(tab_size=4, insert_spaces=True)
    params = types.DocumentFormattingParams(text_document=HERE, options=options)
    edits = await client.text_document_formatting_async(params)
    assert edits[0].new_text == "x = 1\nfunction y = f(x)\n    y = x\n"


@pytest.mark.asyncio(loop_scope="module")
async def test_diagnostics_and_fixes(client: LanguageClient):
    opened(client, "\U0001F600 = 1\nx = zerso(3)\n")
    while not (found := client.diagnostics.get(HEAT.as_uri())):
        await client.wait_for_notification("textDocument/publishDiagnostics")
    assert found[0].range.start == types.Position(0, 0)
    opened(client, "s = \"\U0001F600\"; x = zerso(3)\n")
    while not (found := client.diagnostics.get(HEAT.as_uri())) or found[0].code != "Q0302":
        await client.wait_for_notification("textDocument/publishDiagnostics")
    assert found[0].range.start == types.Position(0, 14)
    context = types.CodeActionContext(diagnostics=found)
    params = types.CodeActionParams(text_document=HERE, range=found[0].range, context=context)
    actions = await client.text_document_code_action_async(params)
    assert actions[0].edit.changes[HEAT.as_uri()][0].new_text == "zeros"
