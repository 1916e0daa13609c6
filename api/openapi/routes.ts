import { z } from 'zod'
import { anyone } from '../access/policy.ts'
import { answerCached, answerInForm, ASK_EACH_TIME, FOR_EVER, tagOf } from '../http/cached-answer.ts'
import { ApiError } from '../http/errors.ts'
import { route, WRITTEN } from '../route/route.ts'
import type { ApiReference } from './reference/reference.ts'

interface ReferenceDeps {
  reference: ApiReference
}

/** Only from this server, nothing inline; pictures are in the style sheet. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const PAGE = { 200: { description: 'The page or file', schema: null } }

export const referenceRoutes = [
  route({
    name: 'GET /openapi.json',
    access: anyone('default'),
    tag: 'Service',
    summary: 'Show this description',
    answers: {
      200: {
        description: 'An OpenAPI 3.1 document',
        schema: z.looseObject({ openapi: z.string() }),
        examples: { beginning: { openapi: '3.1.1' } },
      },
    },
    errors: [],
    run: ({ http }, { reference }: ReferenceDeps) => {
      http.type = 'json'
      answerInForm(http, reference.document(), ASK_EACH_TIME)
      return WRITTEN
    },
  }),
  route({
    name: 'GET /docs',
    access: anyone('default'),
    tag: null,
    summary: 'Read the reference of the API',
    answers: PAGE,
    errors: [],
    run: ({ http }, { reference: { page } }: ReferenceDeps) => {
      http.set('Content-Security-Policy', PAGE_POLICY)
      http.type = 'html'
      answerCached(http, page, tagOf(page), ASK_EACH_TIME)
      return WRITTEN
    },
  }),
  route({
    name: 'GET /docs/:file',
    access: anyone('default'),
    tag: null,
    summary: 'Load a part of that page',
    path: { file: { schema: z.string(), absent: 'NOT_FOUND' } },
    query: z.strictObject({ v: z.string().optional() }),
    answers: PAGE,
    errors: ['NOT_FOUND'],
    run: ({ path, query, http }, { reference: { files } }: ReferenceDeps) => {
      const file = files.get(path.file)
      if (!file) throw new ApiError('NOT_FOUND')
      http.type = file.name
      // The page names the version: what is cached for a year is never an old file.
      answerCached(http, file.bytes, file.tag, query.v === file.tag ? FOR_EVER : ASK_EACH_TIME)
      return WRITTEN
    },
  }),
]
