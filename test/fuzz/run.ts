import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scope } from '#domain/risk/token-bounds.ts'
import { ApiClient } from '../support/api-client.ts'
import { codeOfFailure } from '../support/closing-line.ts'
import { Stack } from '../support/stack.ts'
import { fuzz, schemathesis } from './schemathesis.ts'

/**
 * Fuzzes the whole service by its own description, with every kind of credential:
 *
 *     npm test -- fuzz              at least 50,000 requests
 *     npm test -- fuzz 3000      at least 3,000
 *
 * Ends with 0 when no request was answered by a server error, by anything that the description does not list, or
 * without the credential that it needs.
 */
const wanted = Number(process.argv[2] ?? 50_000)
if (!Number.isInteger(wanted) || wanted < 1) throw new Error('The number of requests must be a whole one')

interface Profile {
  name: string
  headers: readonly string[]
}

const bearer = (name: string, text: string): Profile => ({ name, headers: [`Authorization: Bearer ${text}`] })

/** Made before anything else: a plan holds ten tokens, and requests that are made up may take the rest. */
async function tokens(stack: Stack): Promise<Profile[]> {
  const person = new ApiClient(stack.addresses.api, await stack.jwt())
  const tokenFor = async (scope: Scope): Promise<Profile> => {
    const { body } = await person.post('/tokens', { label: `fuzz ${scope}`, scopes: [scope] })
    return bearer(`token ${scope}`, body.data.token)
  }
  return [await tokenFor('trading:read'), await tokenFor('signals:write')]
}

async function main(): Promise<number> {
  const program = await schemathesis()
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-fuzz-'))
  const stack = await Stack.start()
  let requests = 0
  let dirty = 0
  try {
    const programs = await tokens(stack)
    const nobody: Profile = { name: 'no credential', headers: [] }
    for (let round = 1; requests < wanted; round += 1) {
      // A JWT lasts for a quarter of an hour.
      const person = bearer('JWT', await stack.jwt())
      for (const { name, headers } of [person, ...programs, nobody]) {
        console.log(`\n##### round ${round}, ${name}`)
        const seed = Math.trunc(Math.random() * 2 ** 31)
        const run = await fuzz(program, {
          origin: stack.addresses.api,
          headers,
          examples: wanted < 20_000 ? 3 : 50,
          seed,
          report: join(folder, 'report.json'),
          checksCredential: headers.length > 0,
        })
        requests += run.requests
        if (!run.isClean) dirty += 1
        await stack.untilReady()
      }
    }
  } finally {
    if (dirty > 0) console.error(stack.logs())
    await stack.close()
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(`\n${requests} requests, ${dirty} runs with findings`)
  return dirty === 0 ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  process.exitCode = codeOfFailure(error)
}
