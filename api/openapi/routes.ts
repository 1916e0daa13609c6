import { anyone } from '../access/policy.ts'
import { answerCached, answerInForm, ASK_EACH_TIME, FOR_EVER, tagOf } from '../http/cached-answer.ts'
import { ApiError } from '#contract/errors.ts'
import { route, WRITTEN } from '../route/route.ts'
import type { ApiReference } from './reference/reference.ts'
import { referenceEndpoints } from '#contract/service.ts'

interface ReferenceDeps {
  reference: ApiReference
}

/** Only from this server; pictures are in the style sheet. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

export const referenceRoutes = [
  route(referenceEndpoints['GET /openapi.json'], {
    access: anyone('default'),
    run: ({ http }, { reference }: ReferenceDeps) => {
      http.type = 'json'
      answerInForm(http, reference.document(), ASK_EACH_TIME)
      return WRITTEN
    },
  }),
  route(referenceEndpoints['GET /docs'], {
    access: anyone('default'),
    run: ({ http }, { reference: { page } }: ReferenceDeps) => {
      http.set('Content-Security-Policy', PAGE_POLICY)
      http.type = 'html'
      answerCached(http, page, tagOf(page), ASK_EACH_TIME)
      return WRITTEN
    },
  }),
  route(referenceEndpoints['GET /docs/:file'], {
    access: anyone('default'),
    run: ({ path, query, http }, { reference: { files } }: ReferenceDeps) => {
      const file = files.get(path.file)
      if (!file) throw new ApiError('NOT_FOUND')
      http.type = file.name
      answerCached(http, file.bytes, file.tag, query.v === file.tag ? FOR_EVER : ASK_EACH_TIME)
      return WRITTEN
    },
  }),
]
