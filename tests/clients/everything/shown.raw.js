window.shown = '<word>';
