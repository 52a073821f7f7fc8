for x={1,3,"s",[1,2]}
   match x with
   | 1 -> print "one"
   | (3, 4) -> print "three or four"
   | "s" -> print "text"
   | _ -> print "other"
   endmatch
endfor
% out: one
% out: three or four
% out: text
% out: other
