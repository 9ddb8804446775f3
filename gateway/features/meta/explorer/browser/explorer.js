// Runs in the browser, on the page that page.ts writes. Whatever it asks for lies beside that page.
/* global SwaggerUIBundle -- swagger-ui-bundle.js comes before it */
const form = document.querySelector('form');
const field = form.querySelector('input');
const notice = document.querySelector('output');
let token = '';
let explorer;

const dark = matchMedia('(prefers-color-scheme: dark)');
const dress = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', dress);
dress();

form.addEventListener('submit', event => {
  event.preventDefault();
  token = field.value.trim().replace(/^bearer\s+/i, '');
  if (explorer === undefined) start();
  else authorize();
});
start();

function start() {
  open().catch(error => say(`The API document could not be shown: ${error.message}`));
}

/** The document may be limited to admins: then it is requested again once there is a token. */
async function open() {
  const credential = token === '' ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch('docs', { headers: { accept: 'application/json', ...credential } });
  const body = await response.json();
  if (!response.ok) return say(`The API document was refused (${response.status}): ${body.error.message}`);
  explorer = SwaggerUIBundle({
    spec: withoutDefaults(body),
    domNode: document.querySelector('main'),
    presets: [SwaggerUIBundle.presets.apis],
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    filter: body.tags.length > 5,
    tryItOutEnabled: true,
    validatorUrl: null,
  });
  say('');
  if (token !== '') authorize();
}

/** A default would stand in its field, and be sent: some go only with a parameter that is not there. */
function withoutDefaults(openapi) {
  for (const parameter of Object.values(openapi.components.parameters)) {
    const { default: value, ...schema } = parameter.schema;
    if (value === undefined) continue;
    parameter.schema = schema;
    parameter.description += ` Default: \`${value}\`.`;
  }
  return openapi;
}

/** Kept by this page alone, while it is open. */
function authorize() {
  if (token === '') explorer.authActions.logout(['bearerAuth']);
  else explorer.preauthorizeApiKey('bearerAuth', token);
  say(token === '' ? 'Requests are sent without a token.' : 'The token goes along with every request.');
}

function say(text) {
  notice.textContent = text;
}
