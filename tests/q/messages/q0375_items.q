a = 0..1e-6..1e9   % error[Q0375]: a range with
