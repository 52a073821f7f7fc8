% Codes that correct errors (convolution and the search for the likeliest message), and how much two pictures have in common.

% the states of a convolutional code: an object with the number of input and output symbols, of states, the next state for each state and bit, and what is sent then. Generators are written in octal, the newest bit is the highest
% > t = poly2trellis(3, [7,5]); print t.numStates, " ", t.nextStates
function t = poly2trellis(length_of, generators)
    assert(numel(length_of) == 1, "poly2trellis: codes with one input")
    k = int(length_of)
    assert(k >= 1 && k <= 16, "poly2trellis: constraint lengths from 1 to 16")
    n = numel(generators)
    states = 2^(k - 1)
    [following, sent] = [zeros(states, 2), zeros(states, 2)]
    {!serial for}
    for s = 0..states-1
        for b = 0..1
            whole = b * states + s
            word = 0
            for j = 0..n-1
                parity = 0
                digits = generators[j]
                scale = 1
                while digits > 0
                    digit = int(mod(digits, 10))
                    assert(digit < 8, "poly2trellis: generators are written in octal")
                    parity += _ones_of(mod(floor(whole / scale), 8), digit)
                    digits = floor(digits / 10)
                    scale *= 8
                end
                word = 2 * word + mod(parity, 2)
            end
            following[s, b] = floor(whole / 2)
            sent[s, b] = word
        end
    end
    t = object(numInputSymbols:=2, numOutputSymbols:=2^n, numStates:=states, nextStates:=following, outputs:=sent)
end

% how many of three bits are set in both numbers
function y = _ones_of(a, b)
    y = 0
    for k = 0..2
        y += int(mod(floor(a / 2^k), 2) * mod(floor(b / 2^k), 2))
    end
end

% the bits of a message in a convolutional code, from state 0 on
% > print convenc([1,0,1], poly2trellis(3, [7,5]))
function code = convenc(bits, trellis)
    n = int(round(log2(trellis.numOutputSymbols)))
    [list, code, state] = [reshape(bits, [1, numel(bits)]), zeros(numel(bits) * n), 0]
    {!serial for}
    for i = 0..numel(list)-1
        b = int(list[i])
        word = trellis.outputs[int(state), b]
        for j = 0..n-1
            code[i * n + j] = mod(floor(word / 2^(n - 1 - j)), 2)
        end
        state = trellis.nextStates[int(state), b]
    end
end

% the likeliest message of what came of a convolutional code, by Viterbi's search over all of it: "trunc" ends in any state, "term" in state 0; "hard" takes bits, "unquant" numbers, positive ones for 0. How far to look back is not used
% > t = poly2trellis(3, [7,5]); print vitdec(convenc([1,0,1,1,0,0], t), t, 5, "term", "hard")
function bits = vitdec(code, trellis, back, ends, kind)
    assert(ends == "trunc" || ends == "term", "vitdec ends with ""trunc"" or ""term""")
    assert(kind == "hard" || kind == "unquant", "vitdec takes ""hard"" or ""unquant"" symbols")
    n = int(round(log2(trellis.numOutputSymbols)))
    states = int(trellis.numStates)
    steps = idivide(numel(code), n)
    came = reshape(float(code), [1, numel(code)])
    cost = ones(states) * 1e30
    cost[0] = 0
    [from, chosen] = [zeros(steps, states), zeros(steps, states)]
    {!serial for}
    for i = 0..steps-1
        next = ones(states) * 1e30
        for s = 0..states-1
            for b = 0..1
                sum_of = cost[s]
                for j = 0..n-1
                    bit = mod(floor(trellis.outputs[s, b] / 2^(n - 1 - j)), 2)
                    x = came[i * n + j]
                    sum_of += kind == "hard" ? abs(x - bit) : (x - (1 - 2 * bit))^2
                end
                to = int(trellis.nextStates[s, b])
                if sum_of < next[to]
                    next[to] = sum_of
                    from[i, to] = s
                    chosen[i, to] = b
                endif
            end
        end
        cost = next
    end
    [_, state] = min(cost)
    if ends == "term"
        state = 0
    endif
    bits = zeros(steps)
    {!serial for}
    for i = steps-1..-1..0
        bits[i] = chosen[i, int(state)]
        state = from[i, int(state)]
    end
end

% twice what two pictures of 0 and 1 have in common, as a part of the pixels of both
% > print dice([1,1,0], [1,0,0])
function y = dice(a, b)
    y = 2.0 * sum((a != 0) .* (b != 0)) / (sum(a != 0) + sum(b != 0))
end

% what two pictures of 0 and 1 have in common, as a part of what either has
% > print jaccard([1,1,0], [1,0,0])
function y = jaccard(a, b)
    y = 1.0 * sum((a != 0) .* (b != 0)) / sum(max(int(a != 0), int(b != 0)))
end
