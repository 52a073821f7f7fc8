mod program_text;
mod program_uri;
mod server;
