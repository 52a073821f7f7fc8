% Texts that choose what a loop or a kernel does: compared while it is compiled, and again when the text is another.
function y = shrink(x, mode, T)
    y = zeros(size(x))
    for i=0..size(x,0)-1
        for j=0..size(x,1)-1
            match mode with
            | "soft" -> y[i,j] = sign(x[i,j])*max(abs(x[i,j])-T,0.0)
            | "hard" -> y[i,j] = abs(x[i,j]) > T ? x[i,j] : 0.0
            | _ -> y[i,j] = x[i,j]
            end
        end
    end
end
x = reshape(-6..5,[3,4])
print shrink(x,"soft",2)
print shrink(x,"hard",2)
print shrink(x,"none",2)
print shrink(x,"soft",3)
function y = changed(x, how)
    function [] = __kernel__ apply(x:mat, y:mat, pos:ivec2)
        if how == "square"
            y[pos] = x[pos]*x[pos]
        elseif how != "negate"
            y[pos] = 1
        else
            y[pos] = -x[pos]
        endif
    end
    y = zeros(size(x))
    parallel_do(size(x), x, y, apply)
end
modes = {"square", "negate", "other", "square"}
for k=0..3
    y = changed(x, modes[k])
    print sum(y), " ", y[0,1]
end
% A text that the loop sets, and one that is no text at times.
m = "first"
z = zeros(4)
for i=0..3
    if m == "first"
        z[i] = 1
    else
        z[i] = 2
    endif
    m = "later"
end
print z
% out: [[-4, -3, -2, -1],
% out:  [0, 0, 0, 0],
% out:  [0, 1, 2, 3]]
% out: [[-6, -5, -4, -3],
% out:  [0, 0, 0, 0],
% out:  [0, 3, 4, 5]]
% out: [[-6, -5, -4, -3],
% out:  [-2, -1, 0, 1],
% out:  [2, 3, 4, 5]]
% out: [[-3, -2, -1, 0],
% out:  [0, 0, 0, 0],
% out:  [0, 0, 1, 2]]
% out: 146 25
% out: 6 5
% out: 12 1
% out: 146 25
% out: [1, 2, 2, 2]
