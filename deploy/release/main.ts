import { join } from 'node:path'
import { makeRelease } from './release.ts'
import { explainFailure } from '#local/start/diagnosis.ts'
import { readArguments, runCommand } from '#local/commands/arguments.ts'

const RELEASE_HELP = `Makes the files of a release of the checked-out commit, in a folder named after the version.

  npm run release                   under releases/
  npm run release -- --to DIR       under another folder

  durable-trader-VERSION.tar.gz           the sources
  durable-trader-VERSION-image.tar.gz     what the image is built of: docker build --tag durable-trader:VERSION - < FILE
  durable-trader-VERSION-chart.tgz        the Helm chart: helm install NAME FILE
  durable-trader-VERSION-sbom.cdx.json    every package that runs, as CycloneDX
  NOTES.md                                the changes, from CHANGELOG.md
  SHA256SUMS                              checksums: sha256sum --check SHA256SUMS

The same commit gives the same bytes, with the same versions of Node, npm and Git. Files that differ from the commit are refused.`

async function main(): Promise<void> {
  const { values } = readArguments({
    options: { help: { type: 'boolean', short: 'h' }, to: { type: 'string', default: 'releases' } },
  })
  if (values.help) {
    console.log(RELEASE_HELP)
    return
  }
  const { folder, checksums } = makeRelease(join(import.meta.dirname, '..', '..'), values.to)
  console.log(folder)
  for (const [file, digest] of checksums) console.log(`${digest}  ${file}`)
}

try {
  await runCommand(RELEASE_HELP, main)
} catch (error) {
  console.error(explainFailure(error))
  process.exitCode = 1
}
