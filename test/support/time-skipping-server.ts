import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  cacheFolder,
  requireExactly,
  findOnPath,
  putInPlace,
  type ProgramSource,
} from '#local/servers/program-source.ts'
import { StartupError } from '#local/processes/startup-error.ts'
import { TEST_SERVER_JARS, TEST_SERVER_VERSION as VERSION } from './test-server-jars.ts'
import { runTool } from '#local/servers/tool-run.ts'

const PROGRAM = 'temporal-test-server'

/**
 * Path of Temporal's time-skipping test server, which tests use for month-long timers: from our cache, or from Maven
 * Central with a small script that runs it on Java. Its first argument is the port.
 *
 * @throws {StartupError} when there is no way to get it here
 * @throws {DigestError} when Maven brings other files than the expected ones
 */
export async function findTimeSkippingServer(source: ProgramSource): Promise<string> {
  const place = join(cacheFolder(), `${PROGRAM}-${VERSION}`, PROGRAM)
  if (!findOnPath('java')) throw new StartupError('there is no Java to run it on')
  if (existsSync(place)) return place
  const maven = findOnPath('mvn')
  if (!maven) throw new StartupError('there is no Maven to take it from Maven Central with')
  await putInPlace(place, (folder) => fetchWithMaven(maven, folder, source))
  return place
}

async function fetchWithMaven(maven: string, folder: string, source: ProgramSource): Promise<void> {
  const project = join(folder, 'project')
  const lib = join(folder, 'lib')
  mkdirSync(project)
  writeFileSync(join(project, 'pom.xml'), POM)
  source.report('fetching the test server with Maven')
  await runTool({
    name: 'Download of the test server',
    command: maven,
    args: [
      '--batch-mode',
      '--strict-checksums',
      `--file=${join(project, 'pom.xml')}`,
      'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies',
      '-DincludeScope=runtime',
      `-DoutputDirectory=${lib}`,
    ],
    logFile: join(source.logFolder, 'download-test-server.log'),
    record: source.record,
    timeLimitMs: 10 * 60_000,
    onProgress: (output) =>
      source.report(
        `fetching the test server with Maven: ${output.split('Downloaded from').length - 1} files`,
      ),
  })
  await requireExactly(lib, TEST_SERVER_JARS)
  rmSync(project, { recursive: true })
  writeFileSync(join(folder, PROGRAM), SCRIPT)
}

/** With a logging backend on its class path the server writes every request to the console. */
const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId>
  <artifactId>test-server</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>${VERSION}</version>
      <exclusions>
        <exclusion><groupId>ch.qos.logback</groupId><artifactId>*</artifactId></exclusion>
      </exclusions>
    </dependency>
  </dependencies>
</project>
`

/** The class path is found beside the script, wherever that was moved. */
const SCRIPT = `#!/bin/sh
exec java -cp "$(dirname "$0")/lib/*" io.temporal.testserver.TestServer "$@"
`
