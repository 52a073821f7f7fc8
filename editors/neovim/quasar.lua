-- Quasar in Neovim 0.7 and newer: put `luafile PATH/quasar.lua` into init.vim, or `dofile("PATH/quasar.lua")` into init.lua.
-- `vim.g.quasar_command` names the command quadra where it is not in PATH, `vim.g.quasar_library` a list of directories in which imported
-- files are looked for. `:QuasarRun` runs the program in the buffer.

local function command()
  return vim.g.quasar_command or "quadra"
end

local config = {
  name = "quasar",
  init_options = { library = vim.g.quasar_library or {} },
  flags = { debounce_text_changes = 50 },
}

-- One server for all buffers of a directory; Neovim 0.8 does that by itself.
local clients = {}

local function attach(buffer)
  local root = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":p:h")
  local options = vim.tbl_extend("force", config, { cmd = { command(), "lsp" }, root_dir = root })
  if vim.lsp.start then
    vim.lsp.start(options)
    return
  end
  if not clients[root] or vim.lsp.client_is_stopped(clients[root]) then
    clients[root] = vim.lsp.start_client(options)
  end
  vim.lsp.buf_attach_client(buffer, clients[root])
end

-- Keys like those that newer versions have from the start, for buffers of Quasar only.
local keys = {
  K = "hover",
  gd = "definition",
  grn = "rename",
  gra = "code_action",
  grr = "references",
  gO = "document_symbol",
}

local function setup(buffer)
  vim.bo[buffer].commentstring = "% %s"
  vim.bo[buffer].omnifunc = "v:lua.vim.lsp.omnifunc"
  for key, what in pairs(keys) do
    vim.keymap.set("n", key, function()
      vim.lsp.buf[what]()
    end, { buffer = buffer, desc = "Quasar: " .. what })
  end
  vim.api.nvim_buf_create_user_command(buffer, "QuasarRun", function()
    vim.cmd("write")
    vim.cmd("split | terminal " .. vim.fn.shellescape(command()) .. " run " .. vim.fn.shellescape(vim.fn.expand("%:p")))
  end, { desc = "run this program" })
  attach(buffer)
end

local group = vim.api.nvim_create_augroup("quasar", { clear = true })

vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
  group = group,
  pattern = "*.q",
  callback = function()
    vim.bo.filetype = "quasar"
  end,
})

vim.api.nvim_create_autocmd("FileType", {
  group = group,
  pattern = "quasar",
  callback = function(event)
    setup(event.buf)
  end,
})

-- At every loop whether it is parallel, from Neovim 0.10 on.
if vim.lsp.inlay_hint then
  vim.api.nvim_create_autocmd("LspAttach", {
    group = group,
    callback = function(event)
      if vim.bo[event.buf].filetype == "quasar" then
        vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
      end
    end,
  })
end

-- Colours where there are no semantic tokens, before Neovim 0.9.
vim.api.nvim_create_autocmd("Syntax", {
  group = group,
  pattern = "quasar",
  command = [[
    syntax match quasarComment /%.*$/
    syntax region quasarString start=/"/ skip=/""/ end=/"/ oneline
    syntax match quasarAttribute /{![^}]*}/
    syntax match quasarNumber /\<\d\w*\(\.\d\+\)\?\(e[-+]\?\d\+\)\?\>/
    syntax keyword quasarStatement function endfunction if elseif else endif for endfor while endwhile repeat until
    syntax keyword quasarStatement match with endmatch try catch endtry break continue return import type class endtype end
    highlight default link quasarComment Comment
    highlight default link quasarString String
    highlight default link quasarAttribute PreProc
    highlight default link quasarNumber Number
    highlight default link quasarStatement Statement
  ]],
})
