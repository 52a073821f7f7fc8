% The numbers are Octave's.
printf("%.6f %g %g\n", rcond([[1,2],[3,4]]), rcond(eye(3)), rcond([[1,2],[2,4]]))
% out: 0.047619 1 0
