import numpy as np


def viterbi(seen, start, step, emission):
    best, back = start + emission[:, seen[0]], []
    for o in seen[1:]:
        scores = best[:, None] + step
        back.append(scores.argmax(0))
        best = scores.max(0) + emission[:, o]
    states = [int(best.argmax())]
    for pointers in back[::-1]:
        states.append(int(pointers[states[-1]]))
    return states[::-1], best.max()


start = np.log([0.5, 0.3, 0.2])
step = np.log([[0.8, 0.15, 0.05], [0.1, 0.8, 0.1], [0.05, 0.25, 0.7]])
emission = np.log([[0.6, 0.2, 0.1, 0.1], [0.1, 0.6, 0.2, 0.1], [0.05, 0.15, 0.3, 0.5]])
seen, state = [], 7
for t in range(60):
    state = (state * 37 + 11) % 101
    seen.append((state // 9 + t // 15) % 4)
states, score = viterbi(seen, start, step, emission)
print(seen)
print(states)
print(f"{round(score * 1e6) / 1e6:g}")
for k in range(3):
    print(f"state {k}: {states.count(k)} times")
