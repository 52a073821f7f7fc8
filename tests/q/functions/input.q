% What is read is tested in quasar_commands.rs.
print type(input)
% out: function
