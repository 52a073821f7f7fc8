colormap("plaid")   % error[Q0314]: colormap: there is no such map
