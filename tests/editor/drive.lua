-- Drives Neovim through a rename and a fix. The program is the buffer; what went wrong is printed, and the status tells it.

local function fail(what)
  io.stderr:write(what .. "\n")
  vim.cmd("cquit 1")
end

-- Waits for the server; nothing here depends on how long it takes.
local function await(what, condition)
  if not vim.wait(60000, condition, 20) then
    fail("waited in vain: " .. what)
  end
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

local function ready()
  for _, client in pairs(vim.lsp.buf_get_clients(0)) do
    return client.initialized
  end
end

-- The only fix is the one that is meant.
vim.ui.select = function(items, options, choose)
  if #items ~= 1 then
    fail(#items .. " fixes")
  end
  choose(items[1], 1)
end

await("the server", ready)
if vim.bo.filetype ~= "quasar" then
  fail("the file's type is " .. vim.bo.filetype)
end

vim.fn.search("around", "w")
vim.lsp.buf.rename("neighbours")
await("the rename", function()
  return not text():find("around") and text():find("4%*now") and select(2, text():gsub("neighbours", "")) == 2
end)

-- A mistake: the server says so, and what was meant.
vim.cmd([[%s/mean(plate)/maen(plate)/]])
await("the diagnostic", function()
  local found = vim.diagnostic.get(0)
  return #found == 1 and found[1].code == "Q0302"
end)
vim.fn.search("maen", "w")
vim.lsp.buf.code_action()
await("the fix", function()
  return text():find("mean%(plate%),") and not text():find("maen")
end)
await("no diagnostics", function()
  return #vim.diagnostic.get(0) == 0
end)
vim.cmd("write | qall!")
