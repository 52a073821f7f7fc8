% args: -double
% Viterbi: the likeliest states of a hidden Markov chain. Beside it viterbi.py, which prints the same.

% the states behind observations: start, step and emission are logarithms of probabilities
function [states, score] = viterbi(seen, start, step, emission)
    n = numel(seen)
    k = numel(start)
    best = zeros(n, k)
    from = mat[int](n, k)
    best[0,:] = start + transpose(emission[:,seen[0]])
    for t=1..n-1
        for j=0..k-1
            top = -inf
            at = 0
            for i=0..k-1
                value = best[t-1,i] + step[i,j]
                if value > top
                    top = value
                    at = i
                endif
            end
            best[t,j] = top + emission[j,seen[t]]
            from[t,j] = at
        end
    end
    [score, last] = max(best[n-1,:])
    states = vec[int](n)
    states[n-1] = last
    for t=n-2..-1..0
        states[t] = from[t+1,states[t+1]]
    end
end

start = log([0.5, 0.3, 0.2])
step = log([[0.8, 0.15, 0.05], [0.1, 0.8, 0.1], [0.05, 0.25, 0.7]])
emission = log([[0.6, 0.2, 0.1, 0.1], [0.1, 0.6, 0.2, 0.1], [0.05, 0.15, 0.3, 0.5]])
n = 60
seen = vec[int](n)
state = 7
for t=0..n-1
    state = mod(state * 37 + 11, 101)
    seen[t] = mod(idivide(state, 9) + idivide(t, 15), 4)
end
[states, score] = viterbi(seen, start, step, emission)
print seen
print states
print round(score * 1000000) / 1000000
for k=0..2
    print "state ", k, ": ", sum(states == k), " times"
end
% out: [3, 0, 1, 2, 3, 0, 1, 1, 2, 2, 1, 2, 1, 0, 1, 2, 0, 3, 3, 3, 0, 3, 0, 3, 1, 0, 1, 2, 3, 0, 2, 3, 3, 0, 0, 3, 0, 3, 2, 3, 3, 1, 0, 0, 0, 2, 1, 2, 1, 3, 2, 3, 0, 1, 2, 3, 0, 0, 1, 1]
% out: [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 1, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 0, 0, 0, 0, 0, 0, 1, 1]
% out: -106.888
% out: state 0: 39 times
% out: state 1: 14 times
% out: state 2: 7 times
% falls back on qpu: the for-loop
