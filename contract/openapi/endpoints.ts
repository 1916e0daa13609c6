import { endpoints } from '../endpoint.ts'
import { z } from 'zod'

const PAGE = { 200: { description: 'The page or file', schema: null } }

export const referenceEndpoints = endpoints({
  'GET /openapi.json': {
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
  },
  'GET /docs': {
    tag: null,
    summary: 'Read the reference of the API',
    answers: PAGE,
    errors: [],
  },
  'GET /docs/:file': {
    tag: null,
    summary: 'Load a part of that page',
    path: { file: { schema: z.string(), absent: 'NOT_FOUND' } },
    query: z.strictObject({ v: z.string().optional() }),
    answers: PAGE,
    errors: ['NOT_FOUND'],
  },
})
