// A figure in a frame of a notebook: the frame is made as high as what is in it, once all is drawn.
new MutationObserver((_, observer) => {
  if (root.dataset.readyMs === undefined) return;
  observer.disconnect();
  const frame = window.frameElement;
  if (frame && root.scrollHeight > frame.clientHeight) frame.style.height = `${root.scrollHeight}px`;
}).observe(root, { attributes: true });
