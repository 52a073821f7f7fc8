% Greatest common divisors of positive numbers, by Euclid's subtractions.
function g : vec[int] = gcds(p : vec[int], q : vec[int])
    g = vec[int](numel(p))
    for i = 0..numel(p)-1
        a = p[i]
        b = q[i]
        while a != b
            if a > b
                a -= b
            else
                b -= a
            endif
        endwhile
        g[i] = a
    endfor
endfunction

print gcds(cast([12,18,7], vec[int]), cast([18,12,21], vec[int]))
