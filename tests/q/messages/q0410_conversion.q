print sprintf("%q", 1)   % error[Q0410]: unknown conversion '%q'
