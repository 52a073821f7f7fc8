% Statements of words call functions of figures.
plot([0,1,4]); hold on; plot([4,1,0])
grid on
axis equal
saveas("q_words.svg")
hold off
plot([1,2])
saveas("q_words2.svg")
function n = curves(file)
    f = fopen(file)
    n = 0
    while !feof(f)
        n += strfind(fgetl(f), "#d55e00") >= 0
    endwhile
    fclose(f)
endfunction
print curves("q_words.svg") > 0, curves("q_words2.svg")
hold = 3
print hold
% out: 10
% out: 3
