x = permute(eye(2),[0,0])   % error[Q0394]: the order of 'permute' must name every dimension once
