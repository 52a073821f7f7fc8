% What a picture that imshow or plot has shown can do. Nobody waits for a window here: a picture is a file.

% keeps the part of two pictures that is seen the same; pictures that are files show all of themselves
% > a = imshow([[0,255]]); b = imshow([[255,0]]); a.connect(b)
function [] = connect(self, other)
    self.connected = other
end

% the picture as it was shown: a cube of bytes
% > p = imshow(zeros(4,6)); print size(p.rasterize())
function y : cube[uint8] = rasterize(self)
    y = uint8(imread(self.file, "rgb"))
end

% a form with sliders, buttons, checkboxes, text boxes and displays: on the page of --show they can be used, elsewhere they keep the values that the program gives them
% > f = form("Settings"); s = f.add_slider("strength", 3, 0, 10); f.show(); print s.value
function f = form(title = "")
    f = object()
    f.title = title
    f.width = 640
    f.height = 480
    f.controls = {}
    f.open = 1
    f.center = () -> 0
    f.show = () -> 0
    f.wait = () -> _form_wait(f)
    f.close = () -> (f.open = 0)
    f.closed = () -> !_form_look(f, 0)
    f.add_heading = text -> _control(f, "heading", text, 0, 0, 1)
    f.add_label = text -> _control(f, "label", text, 0, 0, 1)
    f.add_button = text -> _control(f, "button", text, 0, 0, 1)
    f.add_checkbox = (text, value) -> _control(f, "checkbox", text, value, 0, 1)
    f.add_slider = (text, value, low, high) -> _control(f, "slider", text, value, low, high)
    f.add_textbox = (text, value) -> _control(f, "textbox", text, value, 0, 1)
    f.add_display = () -> _display(f)
    if title != ""
        f.add_heading(title)
    endif
end

function c = _control(f, kind, text, value, low, high)
    c = object()
    c.kind = kind
    c.text = text
    c.value = value
    c.low = low
    c.high = high
    c.icon = 0
    c.onclick = _event()
    c.onchange = _event()
    c.number = form_control(-1, kind, text, value, low, high)
    f.controls = _appended(f.controls, c)
end

% a cell with one more element
function y = _appended(list, x)
    y = cell(numel(list) + 1)
    {!serial for}
    for k=0..numel(list)-1
        y[k] = list[k]
    end
    y[numel(list)] = x
end

% whether the form is open; what somebody did is done, after waiting for it at most so many seconds
function open = _form_look(f, patience)
    open = f.open
    more = open
    while more
        {!serial for}
        for k=0..numel(f.controls)-1
            c = f.controls[k]
            c.number = form_control(c.number, c.kind, c.text, c.value, c.low, c.high)
        end
        event = form_event(patience)
        open = f.open && numel(event) > 0
        more = open && event[0] >= 0
        if more
            _form_event(f, event[0], event[1])
        endif
        patience = 0
    end
    f.open = open
end

function [] = _form_event(f, number, text)
    {!serial for}
    for k=0..numel(f.controls)-1
        c = f.controls[k]
        if c.number == number
            if c.kind == "textbox"
                c.value = text
            elseif c.kind != "button"
                c.value = str2num(text)
            endif
            _form_call(c.kind == "button" ? c.onclick : c.onchange)
        endif
    end
end

function [] = _form_call(event)
    {!serial for}
    for k=0..numel(event.list)-1
        handler = event.list[k]
        handler()
    end
end

% until somebody closes the form, or nobody looks
function done = _form_wait(f)
    done = 1
    while _form_look(f, 1)
        done = 1
    end
end

function e = _event()
    e = object()
    e.list = {}
    e.add = handler -> _form_handler(e, handler)
end

function n = _form_handler(e, handler)
    e.list = _appended(e.list, handler)
    n = numel(e.list)
end

% where a page shows the form, its pictures follow one another in one place
function d = _display(f)
    d = object()
    d.number = -1
    d.imshow = (...args) -> (_into(d); imshow(...args))
    d.hdr_imshow = (...args) -> (_into(d); hdr_imshow(...args))
    d.plot = (...args) -> (_into(d); plot(...args))
    d.subplot = (...args) -> (_into(d); subplot(...args))
    d.title = text -> (_into(d); title(text))
    d.onmousemove = _event()
    d.onmousedown = _event()
end

function n = _into(d)
    n = form_display(d.number)
    d.number = n
end

% imshow for displays of high dynamic range; without a range the one of the values
% > h = hdr_imshow([[0,1],[2,3]], [0,3])
function h = hdr_imshow(x, range = [])
    h = imshow(x, range)
end

% a video: numbered pictures, whose names sprintf makes of the file name and 0 or 1 and so on
% > imwrite("f000.png", zeros(4,4,3)); v = vidopen("f%03d.png"); print v.frame_width
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
    v.rgb_data = uint8(picture)
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
% > imwrite("f000.png", zeros(4,4,3)); v = vidopen("f%03d.png"); print vidreadframe(v), vidreadframe(v)
function more = vidreadframe(v)
    more = v.next < v.frames
    if more
        v.rgb_data = uint8(imread(sprintf(v.file, v.first + v.next), "rgb"))
        v.pts = v.next / v.avg_frame_rate
        v.next = v.next + 1
    endif
end

% the next frame is the one at this time in seconds
% > imwrite("f000.png", zeros(4,4,3)); v = vidopen("f%03d.png"); vidseek(v, 0); print vidreadframe(v)
function [] = vidseek(v, seconds)
    v.next = max(0, min(v.frames, int(seconds * v.avg_frame_rate)))
end

% no more frames are read from the video
% > imwrite("f000.png", zeros(4,4,3)); v = vidopen("f%03d.png"); vidclose(v)
function [] = vidclose(v)
    v.next = v.frames
end

% how fast frames would be shown in a window
% > sync_framerate(25)
function [] = sync_framerate(rate)
end

% shows what is drawn so far; nobody waits for pictures in files
% > pause(1)
function [] = pause(milliseconds = 0)
end
