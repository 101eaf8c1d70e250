// SPDX-License-Identifier: Apache-2.0
// package and check-package: what is missing, altered, failing or hostile is seen.
#include "command_line.h"

namespace chainwalk::cli {
namespace {

using Json = nlohmann::json;

class Packages : public CommandLine {
 protected:
  void report(const std::string& on = "reference") {
    EXPECT_LE(chainwalk("conform --on " + on + " --jobs 1 --report r").status, 1);
  }
  // Runs Python lines with the archive "p.tar.gz" unpacked in the dictionary `files`, and packs it
  // again, with a manifest made anew where `honest`.
  void repack(const std::string& edit, bool honest) {
    write_text(path("edit.py"),
               "import io, json, tarfile, hashlib\n"
               "t = tarfile.open('p.tar.gz'); extra = []\n"
               "files = {m.name: t.extractfile(m).read() for m in t.getmembers()}\n"
               "report = json.loads(files['report.json'])\n" +
                   edit + "\nfiles['report.json'] = json.dumps(report).encode()\n" +
                   (honest ? "files['manifest.json'] = json.dumps({'format': 'chainwalk-package', "
                             "'version': 1, 'files': [{'name': n, 'bytes': len(b), 'sha256': "
                             "hashlib.sha256(b).hexdigest()} for n, b in files.items() if n != "
                             "'manifest.json']}).encode()\n"
                           : "") +
                   "out = tarfile.open('q.tar.gz', 'w:gz')\n"
                   "for n, b in list(files.items()) + extra:\n"
                   "  m = tarfile.TarInfo(n); m.size = len(b); out.addfile(m, io.BytesIO(b))\n"
                   "out.close()\n");
    const CommandResult result = shell("python3 edit.py");
    ASSERT_EQ(result.status, 0) << result.err;
  }
  void expect_finding(const std::string& part) {
    const CommandResult result = chainwalk("check-package q.tar.gz");
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  }
};

TEST_F(Packages, AGoodReportIsAcceptedInBothFormats) {
  report();
  for (const std::string name : {"p.tar.gz", "p.zip"}) {
    ASSERT_EQ(chainwalk("package r -o " + name).status, 0);
    const CommandResult checked = chainwalk("check-package --json " + name);
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
    EXPECT_EQ(Json::parse(checked.out).at("accepted"), true);
  }
  // Python's zipfile and hashlib agree with the manifest.
  write_text(path("sums.py"),
             "import json, zipfile, hashlib\nz = zipfile.ZipFile('p.zip')\n"
             "for f in json.loads(z.read('manifest.json'))['files']:\n"
             "  assert hashlib.sha256(z.read(f['name'])).hexdigest() == f['sha256']\n");
  EXPECT_EQ(shell("python3 sums.py").status, 0);
}

TEST_F(Packages, WhatIsWrongIsFound) {
  report();
  ASSERT_EQ(chainwalk("package r -o p.tar.gz").status, 0);
  repack("report['environment']['note'] = 'x'", false);
  expect_finding("altered: report.json");
  repack("del files['report.xml']", false);
  expect_finding("missing: report.xml");
  repack("files['more'] = b''", false);
  expect_finding("not in the manifest: more");
  repack("report['cases'].pop(3)", true);
  expect_finding("required but not there: ");
  repack("report['cases'].append(report['cases'][0])", true);
  expect_finding("duplicate: ");
  repack("report['cases'][5]['output_hash'] = 1", true);
  expect_finding("is not what the journal says");
  repack("report['cases'][5]['coordinates']['bank'] = 'none'", true);
  expect_finding("has other rules or another place");
  repack("report['cases'][5]['case'] = 'ARI/mine/0'", true);
  expect_finding("not a case of the suite: ARI/mine/0");
}

TEST_F(Packages, FailuresMadeToPassAreFound) {
  report("wrong:rule=store-ties-away");
  ASSERT_EQ(chainwalk("package r -o p.tar.gz").status, 0);
  EXPECT_EQ(chainwalk("check-package p.tar.gz").status, 1);
  repack("for c in report['cases']: c['verdict'] = 'pass'\nreport['conforms'] = True", true);
  expect_finding("is not what the journal says");
  expect_finding("the summary of report.json does not follow");
}

TEST_F(Packages, HostileArchivesAreRefused) {
  report();
  ASSERT_EQ(chainwalk("package r -o p.tar.gz").status, 0);
  const std::string bytes = read_text(path("p.tar.gz"));
  for (const std::size_t length : {std::size_t{0}, std::size_t{10}, bytes.size() / 2}) {
    write_text(path("cut.tar.gz"), bytes.substr(0, length));
    expect_refused(chainwalk("check-package cut.tar.gz"), "cut.tar.gz");
  }
  write_text(path("text.zip"), "this is no archive");
  expect_refused(chainwalk("check-package text.zip"), "text.zip");
  for (const std::string name : {"../evil", "/tmp/evil", "a/b", "..", "evil\\x1b[2J"}) {
    repack("extra.append(('" + name + "', b'x'))", true);
    expect_refused(chainwalk("check-package q.tar.gz"), "no plain file name");
  }
  repack("extra.append(('report.xml', b'x'))", true);
  expect_refused(chainwalk("check-package q.tar.gz"), "report.xml is there twice");
  shell(
      "python3 -c \"import tarfile; t = tarfile.open('q.tar.gz', 'w:gz'); m = "
      "tarfile.TarInfo('report.json'); m.type = tarfile.SYMTYPE; m.linkname = '/etc/passwd'; "
      "t.addfile(m); t.close()\"");
  expect_refused(chainwalk("check-package q.tar.gz"), "not a regular file");
  expect_refused(chainwalk("package no-folder -o a.zip"), "no-folder");
  expect_refused(chainwalk("package r -o a.rar"), ".tar.gz or .zip");
  expect_refused(chainwalk("package r -o no/such/a.zip"), "no/such/a.zip");
}

}  // namespace
}  // namespace chainwalk::cli
