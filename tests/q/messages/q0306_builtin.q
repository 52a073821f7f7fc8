print sin(x:=2)   % error[Q0306]: 'sin' has no named argument 'x'
