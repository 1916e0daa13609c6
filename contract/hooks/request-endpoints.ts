import { endpoints, idOf } from '../endpoint.ts'
import { z } from 'zod'
import { examplePaging } from '../examples.ts'
import { namedRequestAnswer, requestListAnswer, trialAnswer, type WholeHookRequestAnswer } from './answers.ts'
import { EXAMPLE_REQUEST, EXAMPLE_TEST_REQUEST, EXAMPLE_TRIAL, EXAMPLE_WHOLE_REQUEST } from './examples.ts'
import { againMessage, requestListQuery, trialMessage } from './schema.ts'

const hookPath = { hookId: idOf('HOOK_NOT_FOUND') }

const requestPath = { ...hookPath, requestId: idOf('HOOK_REQUEST_NOT_FOUND') }

const requestAnswer = (description: string, words: string, request: WholeHookRequestAnswer) => ({
  schema: namedRequestAnswer,
  description,
  examples: { [words]: { request } },
})

export const hookRequestEndpoints = endpoints({
  'GET /api/v1/hooks/:hookId/requests': {
    tag: 'Hooks',
    summary: 'List what came to a hook, the newest first',
    description:
      'Each request is kept before it is understood, without keys and secrets: for 30 days, and no more than the newest 2,000 of a hook, in 8 MiB.',
    path: hookPath,
    query: requestListQuery,
    answers: {
      200: {
        description: 'Requests that fit the filter',
        schema: requestListAnswer,
        examples: { 'one that was filled': { requests: [EXAMPLE_REQUEST], ...examplePaging(1) } },
      },
    },
    errors: ['HOOK_NOT_FOUND'],
  },
  'GET /api/v1/hooks/:hookId/requests/:requestId': {
    tag: 'Hooks',
    summary: 'Show a request that came to a hook',
    path: requestPath,
    answers: { 200: requestAnswer('The request', 'one that was filled', EXAMPLE_WHOLE_REQUEST) },
    errors: ['HOOK_NOT_FOUND', 'HOOK_REQUEST_NOT_FOUND'],
  },
  'POST /api/v1/hooks/:hookId/try': {
    tag: 'Hooks',
    summary: 'Try a message on a hook',
    description: 'How the hook reads it, and what would be sent for each account. Nothing is stored or sent.',
    path: hookPath,
    body: {
      schema: z.strictObject(trialMessage),
      examples: { 'a purchase': { body: EXAMPLE_WHOLE_REQUEST.body } },
    },
    answers: {
      200: { description: 'What would come of it', schema: trialAnswer, examples: { bought: EXAMPLE_TRIAL } },
    },
    errors: ['HOOK_NOT_FOUND', 'SERVICE_DISABLED'],
  },
  'POST /api/v1/hooks/:hookId/test': {
    tag: 'Hooks',
    summary: 'Make a test request to a hook',
    description: 'It comes into the inbox as a dry run: nothing is sent.',
    path: hookPath,
    answers: { 201: requestAnswer('The request', 'a test', EXAMPLE_TEST_REQUEST) },
    errors: ['HOOK_NOT_FOUND', 'SERVICE_DISABLED'],
  },
  'POST /api/v1/hooks/:hookId/requests/:requestId/again': {
    tag: 'Hooks',
    summary: 'Send a request again',
    description:
      'As an alert of its own, perhaps corrected: whatever became of the first one, this one trades. The text of the first is as it is kept, without keys and secrets. On a hook that is switched to live accounts it asks for a proof of the last five minutes of who you are.',
    path: requestPath,
    body: {
      schema: z.strictObject(againMessage),
      optional: true,
      examples: { 'as it is': {}, corrected: { body: EXAMPLE_WHOLE_REQUEST.body } },
    },
    answers: {
      201: requestAnswer('The new request', 'taken', {
        ...EXAMPLE_WHOLE_REQUEST,
        via: 'again',
        again: EXAMPLE_REQUEST.id,
      }),
    },
    errors: ['HOOK_NOT_FOUND', 'HOOK_REQUEST_NOT_FOUND', 'SERVICE_DISABLED', 'VERIFICATION_REQUIRED'],
  },
})
