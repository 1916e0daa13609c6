import { endpoints } from '../endpoint.ts'
import { z } from 'zod'

export const call = z
  .strictObject({
    hookId: z.uuid(),
    hookName: z.string(),
    at: z.iso.datetime(),
    ip: z.string(),
    from: z.enum(['this_machine', 'private_network', 'outside']).describe('Where that address is'),
  })
  .nullable()

export const addressAnswer = z
  .strictObject({
    hooksUrl: z
      .string()
      .describe('Begins the address of every hook; `HOOKS_URL`, or else `PUBLIC_URL`, of the service'),
    isPublic: z.boolean().describe('Nothing in that address itself keeps TradingView from calling it'),
    missing: z
      .array(
        z.strictObject({
          code: z.enum([
            'this_machine',
            'private_network',
            'private_name',
            'ipv6',
            'not_https',
            'port',
            'no_request_yet',
            'no_request_from_outside',
          ]),
          message: z.string(),
        }),
      )
      .describe('What stands against it; empty once a request has come in from outside'),
    last: call.describe('The newest request that a sender made of one of your hooks'),
    lastFromOutside: call.describe(
      'The newest one that came neither from the machine of the service nor from a private network',
    ),
  })
  .meta({ id: 'HookAddress' })

const SEEN = {
  hookId: '5c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f',
  hookName: 'Breakouts',
  at: '2026-03-02T15:00:01.000Z',
  ip: '52.89.214.238',
  from: 'outside' as const,
}

export const hookAddressEndpoints = endpoints({
  'GET /api/v1/hooks/address': {
    tag: 'Hooks',
    summary: 'Tell whether senders on the Internet reach your hooks',
    description:
      'By the address that the operator has set, and by the requests that came in: none but one from outside shows that it works.',
    answers: {
      200: {
        description: 'The address, and what is missing',
        schema: addressAnswer,
        examples: {
          'it works': {
            hooksUrl: 'https://hooks.example.com',
            isPublic: true,
            missing: [],
            last: SEEN,
            lastFromOutside: SEEN,
          },
          'not reached from outside': {
            hooksUrl: 'http://127.0.0.1:3000',
            isPublic: false,
            missing: [
              {
                code: 'this_machine',
                message: '127.0.0.1 is this machine alone: nobody outside can call it',
              },
              {
                code: 'not_https',
                message: 'Without https everybody on the way could read the secret in the address of a hook',
              },
              { code: 'port', message: 'TradingView calls port 443 alone by https, and never port 3000' },
            ],
            last: null,
            lastFromOutside: null,
          },
        },
      },
    },
    errors: [],
  },
})
