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

TEST_F(CommandLine, VerifyForcesAGeometry) {
  ASSERT_EQ(chainwalk("generate -o a.st --head-dim 256 --positions 40 --warps-per-block 8").status,
            0);
  const CommandResult chosen = chainwalk("geometry --head 256 --positions 40 --json");
  ASSERT_EQ(chosen.status, 0) << chosen.err;
  const std::string printed = Json::parse(chosen.out)["choice"]["geometry"];
  for (const std::string& geometry :
       {printed, std::string("tile=3:warps=4"), std::string("slices=2:blocks=5"),
        std::string("slices=1:portable=1:warps=16"), std::string("source=batch_prefetch")}) {
    const CommandResult result = chainwalk("verify a.st --on emulator --geometry " + geometry);
    EXPECT_EQ(result.status, 0) << geometry << result.out << result.err;
  }
  // The problem that runs is cut as the geometry says: a stray tile count would be PLN-2's to
  // refuse.
  EXPECT_EQ(chainwalk("verify a.st --geometry warps=16:blocks=7").status, 0);
  EXPECT_EQ(chainwalk("verify a.st --on emulator:geometry=slices=2:portable=0").status, 0);
}

TEST_F(CommandLine, VerifySaysWhyAGeometryCannotServe) {
  ASSERT_EQ(chainwalk("generate -o a.st --head-dim 384 --positions 40 --warps-per-block 8").status,
            0);
  const auto refused = [&](const std::string& geometry, const std::string& rule) {
    const CommandResult result = chainwalk("verify a.st --on emulator --geometry " + geometry);
    EXPECT_EQ(result.status, 1) << geometry << result.err;
    EXPECT_NE(result.out.find(rule), std::string::npos) << geometry << result.out;
  };
  refused("warps=5", "PLN-1");
  refused("slices=2", "PLN-3");
  refused("slices=2:warps=4", "two slices per warp need 8 or 16");
  refused("portable=2", "PLN-1");
  refused("shared=16:slices=1", "PLN-6");
  refused("offsets=32:kernel=rows_bf16_none_c8", "GEO-8");
  expect_refused(chainwalk("verify a.st --geometry warps=many"), "warps is 'many'");
  expect_refused(chainwalk("verify a.st --geometry tile=1:blocks=1"), "both");
  expect_refused(chainwalk("verify a.st --on emulator:geometry=warps=8"), "verify");
  expect_refused(chainwalk("verify a.st --on emulator --kernel rows_bf16_none_c8 "
                           "--geometry kernel=rows_bf16_none_c16"),
                 "rows_bf16_none_c16");
  const CommandResult huge = chainwalk("verify a.st --geometry blocks=2000000000");
  EXPECT_EQ(huge.status, 2);
  EXPECT_NE(huge.err.find("2000000000 blocks"), std::string::npos) << huge.err;
}

TEST_F(CommandLine, BenchEmulatorChecksWhatItTimes) {
  const std::string small =
      "bench emulator --head-dim 64 --chunk-size 4 --writes-per-token 4 "
      "--repetitions 1 ";
  const CommandResult result = chainwalk(small + "--no-numba --json");
  ASSERT_EQ(result.status, 0) << result.out << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_GT(json["seconds_per_switch"].get<double>(), 0.0);
  int measured = 0;
  for (const Json& row : json["rows"]) {
    if (row["kernel"] == "none") continue;
    EXPECT_EQ(row["error"], "") << row;
    EXPECT_GT(row["lane_operations_per_second"].get<double>(), 0.0);
    ++measured;
  }
  EXPECT_GE(measured, 4);
  EXPECT_TRUE(json["numba"]["reference_bits"].get<bool>());
  EXPECT_EQ(json["numba"]["numba_absent"], "left out");
  const CommandResult without = chainwalk(small + "--python no-such-python");
  EXPECT_EQ(without.status, 0) << without.err;
  EXPECT_NE(without.out.find("absent: no-such-python"), std::string::npos) << without.out;
  expect_refused(chainwalk("bench emulator --chunk-size 257"), "257");
  expect_refused(chainwalk("bench emulator --kernel no_such"), "no_such");
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
