import Router from '@koa/router'
import { readFile } from 'node:fs/promises'
import type { ApiState } from '../context.ts'
import { describeApi } from './document.ts'
import { chaptersOf } from './introduction.ts'
import { OPERATIONS } from './operations.ts'
import { referencePage } from './reference/page.ts'

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
export function descriptionRoutes(): Router<ApiState> {
  const router = new Router<ApiState>()
  let document: string | undefined
  const page = referencePage(OPERATIONS, chaptersOf(Object.values(OPERATIONS).map(({ tag }) => tag)))

  router.get('/openapi.json', (ctx) => {
    document ??= JSON.stringify(describeApi(OPERATIONS))
    ctx.type = 'json'
    ctx.body = document
  })

  router.get('/docs', (ctx) => {
    ctx.set('Content-Security-Policy', PAGE_POLICY)
    ctx.type = 'html'
    ctx.body = page
  })

  for (const [name, address] of Object.entries(FILES)) {
    router.get(`/docs/${name}`, async (ctx) => {
      ctx.set('Cache-Control', 'public, max-age=3600')
      ctx.type = name
      ctx.body = await readFile(new URL(address))
    })
  }

  return router
}
