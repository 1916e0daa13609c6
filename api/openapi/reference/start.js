// Runs in the browser, on the page of the reference.

/* global SwaggerUIBundle */

const ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  defaultModelRendering: 'example',
  displayRequestDuration: true,
  persistAuthorization: false,
  // The badge would send the address of this document to a service on the internet.
  validatorUrl: null,
  onComplete: () => {
    nameHeadings()
    goTo(location.hash)
  },
})

/** Headings of the front chapter get the ids that the table of contents links to. */
function nameHeadings() {
  for (const heading of document.querySelectorAll('.info h1'))
    heading.id = heading.textContent.trim().toLowerCase().replaceAll(/\W+/g, '-')
}

/** Swagger UI follows an address only when it is loaded; links of the table of contents come later. */
function goTo(hash) {
  if (hash.startsWith('#/')) ui.layoutActions.parseDeepLinkHash(hash)
  else if (hash !== '') document.getElementById(hash.slice(1))?.scrollIntoView()
}

window.addEventListener('hashchange', () => goTo(location.hash))
