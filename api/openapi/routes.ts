import { readFile } from 'node:fs/promises'
import { ApiError } from '../errors.ts'
import { describeApi } from './document.ts'
import { chaptersOf } from './introduction.ts'
import { OPERATIONS } from './operations.ts'
import { referencePage } from './reference/page.ts'
import { RouteList } from '../route-list.ts'

/** Files that the page of the reference is made of, by their names below /docs. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  'swagger-ui-bundle.js': import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  'reference.css': import.meta.resolve('./reference/reference.css'),
  'start.js': import.meta.resolve('./reference/start.js'),
}

/** Only what this server has, and no script or style in the page itself; pictures are in the style sheet. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** The description of the API, for programs and for people. Open to anybody: it holds nothing of anybody's. */
export function descriptionRoutes(): RouteList {
  const routes = new RouteList()
  let document: string | undefined
  const page = referencePage(OPERATIONS, chaptersOf(Object.values(OPERATIONS).map(({ tag }) => tag)))

  routes.get('/openapi.json', (ctx) => {
    document ??= JSON.stringify(describeApi(OPERATIONS))
    ctx.type = 'json'
    ctx.body = document
  })

  routes.get('/docs', (ctx) => {
    ctx.set('Content-Security-Policy', PAGE_POLICY)
    ctx.type = 'html'
    ctx.body = page
  })

  routes.get('/docs/:file', async (ctx) => {
    const name = ctx.params['file']!
    const address = Object.hasOwn(FILES, name) ? FILES[name]! : null
    if (address === null) throw new ApiError('NOT_FOUND')
    ctx.set('Cache-Control', 'public, max-age=3600')
    ctx.type = name
    ctx.body = await readFile(new URL(address))
  })

  return routes
}
