/** Only files beside the page are loaded and run; images are data in the style sheet. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
  "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
].join('; ');

/** Addresses are relative: a proxy may serve it under another path. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>API explorer</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="swagger/swagger-ui.css"><link rel="stylesheet" href="swagger/explorer.css">
</head>
<body>
<header>
<h1>API explorer</h1>
<form>
<input type="password" name="token" autocomplete="off" placeholder="Access token or service key" aria-label="Access token or service key">
<button>Use it</button>
</form>
<output></output>
</header>
<main></main>
<script src="swagger/swagger-ui-bundle.js"></script><script src="swagger/explorer.js"></script>
</body>
</html>
`;
