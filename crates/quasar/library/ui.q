% What a picture that imshow or plot has shown can do. Nobody waits for a window here: a picture is a file.

% keeps the part of two pictures that is seen the same; pictures that are files show all of themselves
function [] = connect(self, other)
    self.connected = other
end

% the picture as it was shown: a cube of bytes
function y : cube[uint8] = rasterize(self)
    y = imread(self.file, "rgb")
end

% a form with sliders, buttons and displays, whose controls keep the values that the program gives them
function f = form(title = "")
    f = object()
    f.title = title
    f.width = 640
    f.height = 480
    f.controls = 0
    % The form has no window that somebody could close, so nobody waits for it.
    f.center = () -> 0
    f.show = () -> 0
    f.wait = () -> 0
    f.close = () -> 0
    f.closed = () -> 1
    f.add_heading = text -> _control(f, text, 0)
    f.add_label = text -> _control(f, text, 0)
    f.add_button = text -> _control(f, text, 0)
    f.add_checkbox = (text, value) -> _control(f, text, value)
    f.add_slider = (text, value, low, high) -> _slider(f, text, value, low, high)
    f.add_textbox = (text, value) -> _control(f, text, value)
    f.add_display = () -> _display(f)
end

function c = _control(f, text, value)
    c = object()
    c.text = text
    c.value = value
    c.icon = 0
    c.onclick = _event()
    c.onchange = _event()
    f.controls += 1
end

function c = _slider(f, text, value, low, high)
    c = _control(f, text, value)
    c.low = low
    c.high = high
end

function e = _event()
    e = object()
    e.handlers = 0
    e.add = handler -> (e.handlers += 1)
end

function d = _display(f)
    d = _control(f, "", 0)
    d.imshow = (...args) -> imshow(...args)
    d.hdr_imshow = (...args) -> hdr_imshow(...args)
    d.plot = (...args) -> plot(...args)
    d.subplot = (...args) -> 0
    d.title = text -> title(text)
    d.onmousemove = _event()
    d.onmousedown = _event()
end

% imshow for displays of high dynamic range; without a range the one of the values
function h = hdr_imshow(x, range = [])
    h = imshow(x, range)
end

% a video: numbered pictures, whose names sprintf makes of the file name and 0 or 1 and so on
function v = vidopen(file)
    first = 0
    frames = 0
    if strfind(file, "%") >= 0
        if !_readable(sprintf(file, 0))
            first = 1
        endif
        while _readable(sprintf(file, first + frames))
            frames += 1
        end
    endif
    if frames == 0
        error "vidopen: cannot open '", file, "': a video is read as numbered pictures, such as frame%04d.png"
    endif
    picture = imread(sprintf(file, first), "rgb")
    v = object()
    v.file = file
    v.first = first
    v.frames = frames
    v.next = 0
    v.pts = 0.0
    v.frame_height = size(picture, 0)
    v.frame_width = size(picture, 1)
    v.avg_frame_rate = 25.0
    v.duration_sec = frames / v.avg_frame_rate
    v.bits_per_color = 8
    v.rgb_data = picture
end

function y = _readable(file)
    y = 1
    try
        fclose(fopen(file, "r"))
    catch
        y = 0
    end
end

% reads the next frame into v.rgb_data; 0 after the last one
function more = vidreadframe(v)
    more = v.next < v.frames
    if more
        v.rgb_data = imread(sprintf(v.file, v.first + v.next), "rgb")
        v.pts = v.next / v.avg_frame_rate
        v.next = v.next + 1
    endif
end

% the next frame is the one at this time in seconds
function [] = vidseek(v, seconds)
    v.next = max(0, min(v.frames, int(seconds * v.avg_frame_rate)))
end

% no more frames are read from the video
function [] = vidclose(v)
    v.next = v.frames
end

% how fast frames would be shown in a window
function [] = sync_framerate(rate)
end

% shows what is drawn so far; nobody waits for pictures in files
function [] = pause(milliseconds = 0)
end
