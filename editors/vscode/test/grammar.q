% SYNTAX TEST "source.quasar" "what stands where in a program"
function next = __device__ diffuse(now : mat'clamped)
%^^^^^^^ source.quasar keyword.declaration.function.quasar
%        ^^^^ variable.other.quasar
%               ^^^^^^^^^^ storage.modifier.quasar
%                          ^^^^^^^ entity.name.function.quasar
%                                        ^^^ support.type.quasar
%                                           ^^^^^^^^ storage.modifier.quasar
    x = zeros(size(now)) % and a "comment"
%       ^^^^^ entity.name.function.call.quasar
%             ^^^^ entity.name.function.call.quasar
%                        ^^^^^^^^^^^^^^^^^ comment.line.percentage.quasar
    for m = 0..2..size(now,0)-1
%   ^^^ keyword.control.quasar
%           ^ constant.numeric.integer.quasar
%            ^^ keyword.operator.quasar
    endfor
%   ^^^^^^ keyword.control.quasar
endfunction
%^^^^^^^^^^ keyword.declaration.quasar
{!parallel for}
%^^^^^^^^^^^^^^ entity.other.attribute-name.quasar
type Point : mutable class
%    ^^^^^ entity.name.type.quasar
%            ^^^^^^^ storage.modifier.quasar
%                    ^^^^^ storage.type.class.quasar
s = "100 %d ""q"" of" + pi
%   ^^^^^ string.quoted.double.quasar
%         ^ constant.character.escape.quasar
%                ^ string.quoted.double.quasar
%                       ^^ constant.language.quasar
y = 0FFh + 101b + 1.5e-3 + 2j .* 1..3
%   ^^^^ constant.numeric.hex.quasar
%          ^^^^ constant.numeric.binary.quasar
%                 ^^^^^^ constant.numeric.float.quasar
%                          ^^ constant.numeric.integer.quasar
%                             ^^ keyword.operator.quasar
import "filters.q"
%^^^^^ keyword.control.import.quasar
%      ^^^^^^^^^^^ string.quoted.double.quasar
