% Loops of which nothing says how long an iteration takes: the host begins, and the rest becomes a kernel when it pays (device auto).
import "inttypes.q"
function y = inserted(x)
  y = copy(x)
  {!serial for}
  for i = 1..numel(y)-1
    k = y[i]
    j : int = i - 1
    while j >= 0 && y[max(j,0)] > k
      y[j+1] = y[j]
      j -= 1
    end
    y[j+1] = k
  end
end
function [n, longest, total] = lengths(last : int)
  n = vec[int](last)
  longest = 0
  total = 5
  for i = 1..last-1
    k : int = i
    c : int = 0
    while k != 1
      if mod(k, 2) == 0
        k = idivide(k, 2)
      else
        k = 3*k + 1
      end
      c += 1
    end
    n[i] = c
    longest = max(longest, c)
    total += c
  end
end
function u = relaxed(n : int, steps : int)
  u = zeros(n)
  u[0] = 64.0
  for t = 1..steps
    v = copy(u)
    k : int = 1
    while k < n - 1
      v[k] = 0.5*(u[k-1] + u[k+1])
      k += 1
    end
    w = u
    u = v
    v = w
  end
end
function [i, s] = ended(limit : int)
  s = 0
  for i = 0..1073741822
    if s > limit
      break
    end
    s += mod(i, 7)
  end
end
function [at, s] = beyond(x)
  s = 0.0
  at = -1
  try
    for i = 0..1073741822
      if x[i] > 2.0
        break
      end
      at = i
      s += x[i]
    end
  catch e
    at += 1000
  end
end
x = mod((0..699)*269.0, 701.0)
y = inserted(x)
print y[0..3], " ", sum(abs(y[1..699] - y[0..698] - 1.0)), " ", inserted([3.0, 1.0]) % out: [0, 1, 2, 3] 1 [1, 3]
[n, longest, total] = lengths(1000)
print n[27], " ", longest, " ", total                                 % out: 111 178 59436
u = relaxed(40, 300)
print u[0], " ", u[3] > u[4], " ", round(1000.0*sum(u))                       % out: 64 1 898599
[i, s] = ended(30000)
print i, " ", s                                                        % out: 10002 30003
[i, s] = ended(-1)
print i, " ", s                                                        % out: 0 0
[at, s] = beyond(ones(5000))
print at, " ", s                                                       % out: 5999 5000
