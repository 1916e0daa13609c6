import { answerCached, ASK_EACH_TIME, FOR_EVER, tagOf } from '../http/cached-answer.ts'
import { ApiError } from '../http/errors.ts'
import { describeApi } from './document.ts'
import { chaptersOf } from './introduction.ts'
import { OPERATIONS } from './operations.ts'
import { readReferenceFiles } from './reference/files.ts'
import { referencePage } from './reference/page.ts'
import { RouteList } from '../http/route-list.ts'

/** Only what this server has, and no script or style in the page itself; pictures are in the style sheet. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** The description of the API, for programs and for people. Open to anybody: it holds nothing of anybody's. */
export function descriptionRoutes(): RouteList {
  const routes = new RouteList()
  let document: string | undefined
  const files = readReferenceFiles()
  const page = referencePage(files, OPERATIONS, chaptersOf(Object.values(OPERATIONS).map(({ tag }) => tag)))

  routes.get('/openapi.json', (ctx) => {
    document ??= JSON.stringify(describeApi(OPERATIONS))
    ctx.type = 'json'
    ctx.body = document
  })

  routes.get('/docs', (ctx) => {
    ctx.set('Content-Security-Policy', PAGE_POLICY)
    ctx.type = 'html'
    answerCached(ctx, page, tagOf(page), ASK_EACH_TIME)
  })

  routes.get('/docs/:file', (ctx) => {
    const file = files.get(ctx.params['file']!)
    if (!file) throw new ApiError('NOT_FOUND')
    ctx.type = file.name
    // The page names the version, so that what is kept for a year is never an old file.
    const isNamed = ctx.query['v'] === file.tag
    answerCached(ctx, file.bytes, file.tag, isNamed ? FOR_EVER : ASK_EACH_TIME)
  })

  return routes
}
