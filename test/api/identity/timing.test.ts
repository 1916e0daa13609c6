import assert from 'node:assert/strict'
import { hashPassword } from '#api/identity/password-hash.ts'
import { IS_LONG } from '../../support/generators.ts'
import { addPerson, PASSWORD, type Person } from '../support/person.ts'
import { useApi } from '../support/use-api.ts'

const SAMPLES = IS_LONG ? 40 : 2

/** Printed, not judged: on a busy machine a limit on the difference would fail for no fault of ours. */
describe('the time of an answer, for known and unknown addresses,', function () {
  this.timeout(120_000)
  let person: Person
  const api = useApi({ identity: { REGISTRATION: 'open' } })
  before(async () => {
    person = await addPerson(api, { passwordHash: await hashPassword(PASSWORD) })
  })

  const median = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!

  for (const [path, rest] of [
    ['login', { password: 'not the right password' }],
    ['forgot-password', {}],
    ['register', { password: 'marmalade over the northern pier' }],
  ] as const)
    it(`the time of an answer, for known and unknown addresses, of ${path} has the same status and the same words`, async function () {
      const known: number[] = []
      const unknown: number[] = []
      const answers = new Set<string>()
      for (let sample = 0; sample < SAMPLES; sample++)
        for (const [email, times] of [
          [person.email, known],
          [`nobody-${sample}@example.test`, unknown],
        ] as const) {
          const begun = performance.now()
          const { status, body } = await api.call('POST', `/api/v1/auth/${path}`, {
            body: { email, ...rest },
          })
          times.push(performance.now() - begun)
          answers.add(JSON.stringify({ status, ...body, requestId: '' }))
          await api.whenIdle()
        }
      assert.equal(answers.size, 1, [...answers].join('\n'))
      const [one, other] = [median(known), median(unknown)]
      const share = (Math.abs(one - other) / other) * 100
      console.log(
        `      ${path}: median ${one.toFixed(2)} ms known, ${other.toFixed(2)} ms unknown, ${share.toFixed(1)} % apart`,
      )
    })
})
