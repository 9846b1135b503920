// Runs in readers' browsers, called with the text. That a reader closed the notice is remembered only when cookies were
// agreed to.
(function (text) {
    const agreed = document.cookie.split('; ').includes('__gitbook_cookie_granted=yes');
    const key = `notice closed: ${text}`;
    if (agreed && localStorage.getItem(key)) {
        return;
    }
    const notice = document.createElement('div');
    notice.setAttribute('role', 'status');
    notice.style.cssText =
        'position:fixed;inset:auto 1rem 1rem auto;padding:1rem;border-radius:.5rem;background:#1c2733;color:#fff';
    // Text, never HTML: what an administrator typed must not become code.
    notice.textContent = `${text} `;
    const close = document.createElement('button');
    close.textContent = 'Close';
    close.onclick = () => {
        notice.remove();
        if (agreed) {
            localStorage.setItem(key, 'yes');
        }
    };
    notice.appendChild(close);
    document.body.appendChild(notice);
})
