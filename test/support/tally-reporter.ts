import { writeFileSync } from 'node:fs'
import mocha from 'mocha'

/**
 * mocha's readable report, and at the end the counts as JSON in the file that TALLY_FILE names, so that nobody
 * has to read numbers out of text into which tests can print.
 */
class TallyReporter extends mocha.reporters.Spec {
  constructor(runner: mocha.Runner, options: mocha.MochaOptions) {
    super(runner, options)
    const file = process.env['TALLY_FILE']
    if (!file) throw new Error('TALLY_FILE must name the file for the counts')
    runner.once('end', () => {
      const { passes, failures, pending } = runner.stats!
      writeFileSync(file, JSON.stringify({ passes, failures, pending }))
    })
  }
}

// oxlint-disable-next-line import/no-default-export -- it is what mocha looks for in a reporter
export default TallyReporter
