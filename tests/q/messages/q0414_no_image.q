f = fopen("q_no.png","w")
fprintf(f,"text")
fclose(f)
x = imread("q_no.png")   % error[Q0414]: imread: cannot read 'q_no.png'
