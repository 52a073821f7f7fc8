type node : mutable class
   next : ^node
endtype
n = node()
print n.next.next   % error[Q0355]: field 'next' of a null pointer
