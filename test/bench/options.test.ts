import assert from 'node:assert/strict'
import { helpOf, readOptions, scenarioNamed } from '#bench/options.ts'
import { SCENARIOS } from '#bench/scenarios.ts'

describe('the options of a benchmark', () => {
  const { burst, flood } = SCENARIOS
  const refused = (message: string, read: () => unknown) =>
    assert.throws(read, { name: 'UsageError', message })

  it('the options of a benchmark have defaults', () => {
    assert.deepEqual(readOptions(burst, ['--exits', '0']), { signals: 1_000, exits: 0 })
    assert.deepEqual(readOptions(flood, ['--by', 'token,stranger']), {
      by: ['stranger', 'token'],
      seconds: 60,
    })
  })

  it('every fault in the options of a benchmark is named in one error', () => {
    refused(
      [
        'there is no --callers',
        '"more" is no option',
        '--seconds needs a value',
        '--by takes all, or some of stranger,token,ten-tokens,hook,eighteen-hooks, not "nobody,"',
      ].join('\n'),
      () => readOptions(flood, ['--callers=2', '--by', 'nobody,token,', 'more', '--seconds']),
    )
    refused(
      '--signals must be a whole number from 1 to 100000, not "0"\n--exits must be a whole number from 0 to 100000, not "x"',
      () => readOptions(burst, ['--signals', '0', '--exits', 'x']),
    )
  })

  it('a benchmark that does not exist is refused with the names of those that do', () => {
    refused('there is no scenario "constructor", only signal, burst, flood, stops', () =>
      scenarioNamed(SCENARIOS, 'constructor'),
    )
  })

  it('the options of a benchmark are explained by --help', () => {
    assert.equal(readOptions(flood, ['--help']), null)
    assert.match(helpOf('flood', flood), /^npm run bench -- flood [^]*--by .*\n {2}--seconds .*\(60\)$/)
  })
})
