// SPDX-License-Identifier: Apache-2.0
// kernels, geometry, devices and --on cuda from outside (GEO-5, GEO-8, PLN-6, QNT-9).
#include "command_line.h"

namespace chainwalk::cli {
namespace {

using Json = nlohmann::json;

TEST_F(CommandLine, KernelsListsTheFamily) {
  const CommandResult result = chainwalk("kernels --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const Json kernels = Json::parse(result.out)["kernels"];
  EXPECT_GT(kernels.size(), 100U);
  for (const Json& kernel : kernels) {
    EXPECT_FALSE(kernel["needs"].get<std::string>().empty());
    EXPECT_EQ(kernel["image"] == "async",
              kernel["needs"].get<std::string>().rfind("cc 9.0", 0) == 0);
  }
  const CommandResult text = chainwalk("kernels");
  EXPECT_NE(text.out.find(std::to_string(kernels.size()) + " kernels"), std::string::npos);
  expect_refused(chainwalk("kernels --on gpu"), "cuda:N");
}

TEST_F(CommandLine, GeometryShowsTheChoiceAndWhy) {
  const CommandResult result = chainwalk("geometry --head 1024 --device h100 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_FALSE(json["choice"]["why"].get<std::string>().empty());
  const std::string name = json["choice"]["kernel"];
  for (const Json& kernel : json["kernels"]) {
    EXPECT_EQ(kernel["serves"].get<bool>(), kernel["reason"].get<std::string>().empty());
    EXPECT_TRUE(kernel["name"] != name || kernel["serves"].get<bool>());
  }
  const CommandResult text = chainwalk("geometry --head 300 --device rtx4090 --form fp8 --all");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("portable image"), std::string::npos);
  EXPECT_NE(text.out.find("even_tail"), std::string::npos);
  EXPECT_NE(text.out.find("async"), std::string::npos);
}

TEST_F(CommandLine, GeometryRefusesWhatPlansRefuse) {
  expect_refused(chainwalk("geometry --head 64 --device h1000"), "h1000");
  expect_refused(chainwalk("geometry --head 0"), "PLN-1");
  expect_refused(chainwalk("geometry --head 64 --tokens 257"), "257");
  expect_refused(chainwalk("geometry --head 64 --form half"), "half");
  expect_refused(chainwalk("geometry --head 64 --kernel no_such"), "no_such");
  expect_refused(chainwalk("geometry --head 384 --slices 2"), "GEO-8");
}

TEST_F(CommandLine, VerifyRunsOnTheEmulator) {
  ASSERT_EQ(chainwalk("generate -o a.st --head-dim 256 --positions 40 --warps-per-block 8").status,
            0);
  for (const std::string options : {"", "--schedule 7", "--kernel rows_bf16_none_c8",
                                    "--checked --schedule pct:seed=2:points=4"}) {
    const CommandResult result = chainwalk("verify a.st --on emulator " + options);
    EXPECT_EQ(result.status, 0) << options << result.out << result.err;
  }
  const CommandResult unserved = chainwalk("verify a.st --on emulator --kernel rows_bf16_raw_c8");
  EXPECT_EQ(unserved.status, 1);
  EXPECT_NE(unserved.out.find("GEO-8"), std::string::npos) << unserved.out;
  expect_refused(chainwalk("verify a.st --on emulator --schedule whenever"), "whenever");
}

TEST_F(CommandLine, DevicesAndCudaSayWhatIsThere) {
  const CommandResult result = chainwalk("devices --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const Json json = Json::parse(result.out);
  const std::string why = json["unavailable"];
  EXPECT_EQ(why.empty(), !json["devices"].empty());
  ASSERT_EQ(chainwalk("generate -o a.st --head-dim 30").status, 0);
  const CommandResult verify = chainwalk("verify a.st --on cuda:0");
  const CommandResult bench = chainwalk("bench cuda --case no_such_problem");
  expect_refused(bench, why.empty() ? "no_such_problem" : why);
  if (why.empty()) {
    EXPECT_EQ(verify.status, 0) << verify.out << verify.err;
  } else {
    expect_refused(verify, why);
  }
  expect_refused(chainwalk("verify a.st --on cuda:kernel=no_such"), "no_such");
}

}  // namespace
}  // namespace chainwalk::cli
