print lenght   % error[Q0302]: 'lenght' is not defined
