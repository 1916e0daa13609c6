/**
 * Runs the tests of the files that are named, or all of them: `npm test`, `npm test -- FILE...`, `npm test -- FILE --grep
 * "part of a title"`. mocha would add named files to a pattern that stands in the script instead of replacing it.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const MOCHA = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))

const options = process.argv.slice(2)
const namesTests = options.some((option) => /\.test\.ts$|^test\//.test(option))
const files = namesTests ? [] : ['test/**/*.test.ts']
const mocha = spawn(process.execPath, [MOCHA, ...files, ...options], { stdio: 'inherit' })
// An interrupt reaches both: mocha stops the servers of the run and ends by itself.
process.on('SIGINT', () => {})
mocha.on('exit', (code) => (process.exitCode = code ?? 1))
