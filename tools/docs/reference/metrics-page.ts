import { metricFamilies, sampleName } from '../../../src/cli/commands/run/metrics.ts'
import { codeBlock, type Document, documentText, markdownTable, paragraph } from '../text/markdown.ts'

/** The reference of the metrics of a run. */
export function metricsPage(): Document {
  const text = documentText('Metrics of a run', [
    paragraph(
      'A run offers metrics in the OpenMetrics format, which Prometheus reads. `--metrics-port` serves them while the run lasts; `--metrics-file` writes them to a file every 10 seconds and at the end, for the textfile collector of the node exporter. [Monitor](../how-to/monitor.md) shows how to use them with alerts and a dashboard.',
    ),
    codeBlock('sh', 'npx chainlake run p-blocks --node-url http://127.0.0.1:9650 --metrics-file metrics.prom'),
    paragraph('Names and labels do not change. Counters start at 0 with each command.'),
    markdownTable(
      ['metric', 'type', 'meaning'],
      Object.entries(metricFamilies).map(([name, [kind, help]]) => [`\`${sampleName(name, kind)}\``, kind, help]),
    ),
    paragraph(
      'A metric "by table" has the label `table`, and one "by job" the label `job`: the name of the job in `chainlake.yaml`, or that of its pipeline.',
    ),
  ])
  return { path: 'docs/reference/metrics.md', text }
}
