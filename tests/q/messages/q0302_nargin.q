print nargin   % error[Q0302]: 'nargin' is not defined
