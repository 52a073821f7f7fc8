% Forms, displays and videos: nothing that is shown stops a program, and loops that wait for a window end.
frm = form("settings")
frm.width = 600
frm.center()
slider = frm.add_slider("gain", 3, 0, 10)
button = frm.add_button("play")
box = frm.add_checkbox("on", true)
frm.add_heading("more")
state = object(gain:=1)
slider.onchange.add(() -> (state.gain = slider.value;))
button.onclick.add(() -> (state.gain = 0))
box.value = !box.value
print slider.value, box.value, state.gain
display = frm.add_display()
display.subplot(1,2,0)
g = display.plot([1,2,3])
g.title = "curve"
left = display.imshow(ones(4,5,3), [0,1])
right = hdr_imshow(2*ones(4,5), [0,2])
left.connect(right)
picture : cube[uint8] = right.rasterize()
print size(picture), picture[0,0,0]
rounds = 0
repeat
    plot([1,2,3])
    rounds += 1
until !hold("on")
while !frm.closed()
    rounds += 1
end
frm.wait()
print rounds
for k=0..2
    imwrite(sprintf("frame%02d.png", k), 10*(k+1)*ones(3,4))
end
video = vidopen("frame%02d.png")
print video.frame_height, "x", video.frame_width, ", ", video.duration_sec
sync_framerate(video.avg_frame_rate)
while vidreadframe(video)
    print video.rgb_data[0,0,0], " at ", video.pts
    pause(0)
end
vidseek(video, 0.04)
print vidreadframe(video), video.rgb_data[1,1,1]
try
    vidopen("film.avi")
catch e
    print e.message
end
% out: 301
% out: [4, 5, 3]255
% out: 1
% out: 3x4, 0.12
% out: 10 at 0
% out: 20 at 0.04
% out: 30 at 0.08
% out: 120
% out: vidopen: cannot open 'film.avi': a video is read as numbered pictures, such as frame%04d.png
