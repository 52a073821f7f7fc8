{!parallel for  % error[Q0103]: the code attribute is not closed on its line
for i=0..3
endfor
% compile
