const { writeFileSync } = require('node:fs')
const { reporters } = require('mocha')

/**
 * mocha's readable report, and at the end the counts as JSON in the file named by TALLY_FILE, so that nobody
 * has to read numbers out of text that tests can print into. CommonJS, because mocha requires reporters.
 */
module.exports = class TallyReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    runner.once('end', () => {
      const { passes, failures, pending } = runner.stats
      writeFileSync(process.env.TALLY_FILE, JSON.stringify({ passes, failures, pending }))
    })
  }
}
